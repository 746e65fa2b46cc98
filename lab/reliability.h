// Compares the accuracy and calibration of networks.

#ifndef REBASIN_LAB_RELIABILITY_H_
#define REBASIN_LAB_RELIABILITY_H_

#include <string>
#include <vector>

#include "rebasin/nn/evaluate.h"
#include "report/document.h"

namespace rebasin::lab {

struct NamedEvaluation {
  std::string name;
  Evaluation evaluation;
};

DataTable EvaluationTable(const std::string& name, const std::string& caption,
                          const std::vector<NamedEvaluation>& networks);

// Accuracy over confidence; calibrated networks are on the diagonal.
Plot ReliabilityPlot(const std::string& name, const std::string& title,
                     const std::vector<NamedEvaluation>& networks);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_RELIABILITY_H_
