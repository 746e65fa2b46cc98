// Compares the accuracy and calibration of networks.

#ifndef REBASIN_LAB_RELIABILITY_H_
#define REBASIN_LAB_RELIABILITY_H_

#include <string>
#include <vector>

#include "lab/pair.h"
#include "report/document.h"

namespace rebasin::lab {

struct NamedEvaluation {
  std::string name;
  Evaluations on;
};

// Loss, accuracy and calibration on training and test data; with more than ten
// classes also how often the label is among the top five.
DataTable EvaluationTable(const std::string& name, const std::string& caption,
                          const std::vector<NamedEvaluation>& networks,
                          int64_t classes);

// Accuracy over confidence, on training and on test data; calibrated networks
// are on the diagonal.
Plot ReliabilityPlot(const std::string& name, const std::string& title,
                     const std::vector<NamedEvaluation>& networks);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_RELIABILITY_H_
