// The line between two models, each point repaired if asked for.

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
  DataSplits parts = {};     // to measure on
  Dataset calibration = {};  // to repair with
  InterpolateOptions options = {};
};

// From A to B, which is aligned already. `repair` is "none" or a row of
// RepairMethods().
Line MeasureLine(const LineSetup& setup, const Checkpoint& a,
                 const Checkpoint& b, const std::string& repair,
                 const Run& run);

// "both", "train" or "test" of the data, `samples` examples of each at most
// ("": all). Throws Error(kUsage).
DataSplits SelectParts(const DataSplits& splits, const std::string& part,
                       const std::string& samples);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MEASURE_LINE_H_
