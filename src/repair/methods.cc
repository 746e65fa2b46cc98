#include <algorithm>

#include "rebasin/repair.h"
#include "repair/fit_sites.h"

namespace rebasin {
namespace {

bool HasInnerSites(const Graph& graph) {
  const auto sites = RepairSites(graph);
  return std::any_of(sites.begin(), sites.end(),
                     [](const RepairSite& site) { return !site.is_output; });
}

bool HasPlainBiases(const Graph& graph) {
  if (HasNormalization(graph)) return false;
  const auto sites = RepairSites(graph);
  return std::any_of(sites.begin(), sites.end(),
                     [](const RepairSite& site) { return site.can_shift(); });
}

bool HasFitSites(const Graph& graph) { return !FitSites(graph).empty(); }

constexpr RepairMethod kMethods[] = {
    {"bn", "recalculated BatchNorm statistics", true, HasBatchNorm},
    {"repair", "each channel with the mean and deviation of its parents", true,
     HasInnerSites},
    {"rescale", "each channel with the deviation of its parents", true,
     HasInnerSites},
    {"least-squares", "each layer fitted to the mean of its parents", true,
     HasFitSites},
    {"bias", "biases scaled down like the activations; needs no data", false,
     HasPlainBiases},
};

}  // namespace

std::span<const RepairMethod> RepairMethods() { return kMethods; }

const RepairMethod* FindRepairMethod(const std::string& name) {
  const auto found =
      std::find_if(std::begin(kMethods), std::end(kMethods),
                   [&](const RepairMethod& m) { return name == m.name; });
  return found == std::end(kMethods) ? nullptr : found;
}

std::vector<std::string> RepairsFor(const Graph& graph) {
  std::vector<std::string> names;
  for (const RepairMethod& method : kMethods) {
    if (method.applies(graph)) names.push_back(method.name);
  }
  return names;
}

std::string UsualRepair(const Graph& graph) {
  const std::vector<std::string> methods = RepairsFor(graph);
  return methods.empty() ? "none" : methods.front();
}

}  // namespace rebasin
