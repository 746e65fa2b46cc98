// Correcting merged models, by name of the method.

#ifndef REBASIN_CLI_REPAIR_H_
#define REBASIN_CLI_REPAIR_H_

#include <memory>
#include <string>
#include <vector>

#include "rebasin/calibrate.h"
#include "rebasin/checkpoint.h"
#include "rebasin/data.h"
#include "rebasin/graph.h"

namespace rebasin::cli {

// A merge that may be corrected.
struct Merged {
  std::shared_ptr<const Graph> graph;
  std::vector<Checkpoint> models;  // aligned
  std::vector<double> shares;
  Checkpoint model;
};

// bn, repair, rescale or bias: those that make sense for the graph.
std::vector<std::string> RepairsFor(const Graph& graph);

// `method` is none or one of these; throws Error(kUsage) for other words.
Checkpoint RunRepair(const std::string& method, const Merged& merged,
                     const Dataset& calibration,
                     const CalibrateOptions& options);

// At most `count` examples of what may be used for calibration: the training
// part, or what there is.
Dataset CalibrationData(const DataSplits& splits, int64_t count);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_REPAIR_H_
