// Repairing a merged network, by name of the method; or by what is best on data
// that was held out.
//
//   const rebasin::MergedModel merged{graph, {a, moved_b}, {0.5, 0.5}, mean};
//   const auto repaired = rebasin::Repair(merged, {.calibration = images});

#ifndef REBASIN_NN_REPAIR_H_
#define REBASIN_NN_REPAIR_H_

#include <memory>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/nn/evaluate.h"
#include "rebasin/repair.h"

namespace rebasin {

// A merge, and what it was made of.
struct MergedModel {
  std::shared_ptr<const Graph> graph = {};
  std::vector<Checkpoint> models = {};  // aligned
  std::vector<double> shares = {};
  Checkpoint merged = {};
};

struct RepairOptions {
  // A row of RepairMethods(), "none", or "auto": all that apply are tried, and
  // none; the one with the lowest loss on held-out examples is kept and made
  // once more with all examples. They are compared by their loss at each one's
  // best temperature: merged networks are far too sure of themselves, and the
  // plain loss would prefer one that is wrong with less confidence.
  std::string method = "auto";
  Dataset calibration = {};
  Normalization normalization = {};
  ComputeOptions compute = {};
};

struct TriedRepair {
  std::string method;
  Evaluation evaluation;
};

struct RepairResult {
  Checkpoint model = {};
  std::string kept = {};                // the method
  std::vector<TriedRepair> tried = {};  // "auto" only
  int64_t judged = 0;                   // examples that they were compared by
  int64_t examples = 0;                 // that the repair was made with
};

// Throws Error(kUsage) for a method that there is not, Error(kMismatch) if
// "auto" has no labels or fewer than 20 examples, and what the methods throw.
// What is held out is drawn by the seed, of each class.
RepairResult Repair(const MergedModel& merged,
                    const RepairOptions& options = {}, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_REPAIR_H_
