#include "cli/repair.h"

#include <algorithm>

#include "cli/arguments.h"
#include "cli/data_flags.h"
#include "rebasin/repair.h"

namespace rebasin::cli {

std::vector<std::string> RepairsFor(const Graph& graph) {
  std::vector<std::string> methods;
  if (HasBatchNorm(graph)) methods.push_back("bn");
  const std::vector<RepairSite> sites = RepairSites(graph);
  const bool inner =
      std::any_of(sites.begin(), sites.end(),
                  [](const RepairSite& site) { return !site.is_output; });
  if (inner) {
    methods.push_back("repair");
    methods.push_back("rescale");
  }
  const bool biases =
      std::any_of(sites.begin(), sites.end(),
                  [](const RepairSite& site) { return site.can_shift(); });
  if (biases && !HasNormalization(graph)) methods.push_back("bias");
  return methods;
}

Checkpoint RunRepair(const std::string& method, const Merged& merged,
                     const Dataset& calibration,
                     const CalibrateOptions& options) {
  if (method == "none") return merged.model;
  if (method == "bn") {
    return RecalculateBatchNorm(merged.graph, merged.model, calibration,
                                options);
  }
  if (method == "bias") {
    return CorrectBiases(*merged.graph, merged.model, merged.models,
                         merged.shares);
  }
  if (method == "repair" || method == "rescale") {
    return RepairActivations(merged.graph, merged.model, merged.models,
                             merged.shares, calibration,
                             method == "repair" ? ActivationRepair::kRepair
                                                : ActivationRepair::kRescale,
                             options);
  }
  FailChoice("--repair", method, {"none", "bn", "repair", "rescale", "bias"});
}

Dataset CalibrationData(const DataSplits& splits, int64_t count) {
  return SelectFirst(splits.train.empty() ? splits.test : splits.train, count);
}

}  // namespace rebasin::cli
