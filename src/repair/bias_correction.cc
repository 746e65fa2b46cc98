// Scales biases by the factors by which merging shrinks activations.

#include <algorithm>
#include <array>
#include <cmath>

#include "merge/checks.h"
#include "rebasin/error.h"
#include "rebasin/repair.h"
#include "repair/edits.h"

namespace rebasin {
namespace {

void CheckMeaningful(const Graph& graph, const std::vector<RepairSite>& sites) {
  if (HasNormalization(graph)) {
    throw Error(ErrorCode::kUnsupported,
                "biases are corrected only in networks without normalisation",
                "norms undo the shrinking of activations by themselves");
  }
  const bool has_bias =
      std::any_of(sites.begin(), sites.end(),
                  [](const RepairSite& site) { return site.can_shift(); });
  if (has_bias) return;
  throw Error(ErrorCode::kUnsupported,
              "no layer of the network has a bias of its own to correct");
}

std::vector<double> BiasOf(const Checkpoint& model, const Tensor& like) {
  const Tensor& bias = WeightIn(model, like.name);
  if (bias.shape != like.shape) {
    throw Error(ErrorCode::kMismatch,
                "bias " + Quoted(like.name) + " has shape " +
                    ShapeText(bias.shape) + " in one model and " +
                    ShapeText(like.shape) + " in the merged one");
  }
  return Elements(bias);
}

// sum_i shares[i]^depth * bias_i
std::vector<double> Combined(const Tensor& like,
                             std::span<const Checkpoint> models,
                             std::span<const double> shares, int depth) {
  std::vector<double> sum(static_cast<size_t>(like.size()), 0.0);
  for (size_t m = 0; m < models.size(); ++m) {
    const double factor = std::pow(shares[m], depth);
    const std::vector<double> bias = BiasOf(models[m], like);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * bias[i];
  }
  return sum;
}

}  // namespace

Checkpoint CorrectBiases(const Graph& graph, const Checkpoint& merged,
                         std::span<const Checkpoint> models,
                         std::span<const double> shares) {
  const std::vector<double> weights =
      MergeWeights(models.size(), {.weights = {shares.begin(), shares.end()}});
  const std::vector<RepairSite> sites = RepairSites(graph);
  CheckMeaningful(graph, sites);
  Edits edits(merged);
  for (const RepairSite& site : sites) {
    if (!site.can_shift()) continue;
    const std::string& name = site.shifted.weight;
    edits.Values(name) =
        Combined(WeightIn(merged, name), models, weights, site.depth);
  }
  return edits.Finish();
}

Checkpoint CorrectBiases(const Graph& graph, const Checkpoint& merged,
                         const Checkpoint& a, const Checkpoint& b,
                         double lambda) {
  const std::array models = {a, b};
  const std::array shares = {1 - lambda, lambda};
  return CorrectBiases(graph, merged, models, shares);
}

}  // namespace rebasin
