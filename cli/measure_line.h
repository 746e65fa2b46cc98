// Evaluates the line between two models, with an optional repair of each point.

#ifndef REBASIN_CLI_MEASURE_LINE_H_
#define REBASIN_CLI_MEASURE_LINE_H_

#include <memory>
#include <string>

#include "rebasin/graph.h"
#include "rebasin/nn/data.h"
#include "rebasin/nn/interpolate.h"

namespace rebasin::cli {

struct LineSetup {
  std::shared_ptr<const Graph> graph = {};
  DataSplits parts = {};     // evaluated parts
  Dataset calibration = {};  // for repairs
  InterpolateOptions options = {};
};

// Evaluates the line from A to the aligned B. `repair` is "none" or a name from
// RepairMethods().
Line MeasureLine(const LineSetup& setup, const Checkpoint& a,
                 const Checkpoint& b, const std::string& repair,
                 const Run& run);

// Returns "both", "train" or "test" part of the data, with at most `samples`
// examples of each (empty: all). Throws Error(kUsage).
DataSplits SelectParts(const DataSplits& splits, const std::string& part,
                       const std::string& samples);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MEASURE_LINE_H_
