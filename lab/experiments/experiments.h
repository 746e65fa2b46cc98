// One function for each experiment, each in its own file.

#ifndef REBASIN_LAB_EXPERIMENTS_EXPERIMENTS_H_
#define REBASIN_LAB_EXPERIMENTS_EXPERIMENTS_H_

#include "lab/lab.h"
#include "report/document.h"

namespace rebasin::lab {

Document RunSymmetries(Lab& lab);
Document RunContour(Lab& lab);
Document RunInterpolation(Lab& lab);
Document RunOnset(Lab& lab);
Document RunWidth(Lab& lab);
Document RunSplit(Lab& lab);
Document RunCounterexample(Lab& lab);
Document RunGreedy(Lab& lab);
Document RunRecovery(Lab& lab);
Document RunTiming(Lab& lab);
Document RunMany(Lab& lab);
Document RunSteepest(Lab& lab);
Document RunNorms(Lab& lab);
Document RunFailures(Lab& lab);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_EXPERIMENTS_EXPERIMENTS_H_
