// The experiments of the paper, by name.

#ifndef REBASIN_LAB_EXPERIMENT_H_
#define REBASIN_LAB_EXPERIMENT_H_

#include <span>
#include <string>

#include "lab/lab.h"
#include "report/document.h"

namespace rebasin::lab {

struct Experiment {
  const char* name;
  const char* paper;  // "Figure 2"
  const char* what;   // one line
  // Title, question, claims and blocks; facts are added by RunExperiment.
  Document (*run)(Lab& lab);
};

// In the order of the paper.
std::span<const Experiment> Experiments();

// Throws Error(kUsage) with the names that there are.
const Experiment& FindExperiment(const std::string& name);

// Runs an experiment and adds the facts of the run: `command`, seed, preset,
// version, machine, data and time.
Document RunExperiment(const Experiment& experiment, Lab& lab,
                       const std::string& command);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_EXPERIMENT_H_
