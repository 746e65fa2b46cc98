#include "nn/trial.h"

#include <cmath>

namespace rebasin::nn {
namespace {

bool IsMostlyOne(const TrialResult& candidate) {
  return candidate.kept.verdict == MergeVerdict::kMostlyOne;
}

std::optional<size_t> LowestLoss(std::span<const TrialResult> candidates,
                                 bool copies_too) {
  std::optional<size_t> best;
  for (size_t c = 0; c < candidates.size(); ++c) {
    const double loss = candidates[c].evaluation.calibrated_loss;
    if (std::isnan(candidates[c].evaluation.loss)) continue;
    if (!copies_too && IsMostlyOne(candidates[c])) continue;
    if (!best || loss < candidates[*best].evaluation.calibrated_loss) best = c;
  }
  return best;
}

}  // namespace

Trial::Trial(const std::shared_ptr<const Graph>& graph,
             std::span<const Checkpoint> parents, const Dataset& held_out,
             const ComputeOptions& compute, const Normalization& normalization,
             const Run& run)
    : graph_(graph),
      options_{.compute = compute,
               .normalization = normalization,
               .find_temperature = true,
               .keep_predictions = true},
      held_out_(held_out),
      run_(run) {
  for (int64_t e = 0; e < held_out.size(); ++e) {
    labels_.push_back(held_out.label(e));
  }
  if (parents.size() < 2) return;
  for (const Checkpoint& parent : parents) {
    parents_.push_back(Measure(parent).predictions);
  }
}

TrialResult Trial::Try(const Checkpoint& candidate) const {
  TrialResult result{.evaluation = Measure(candidate)};
  if (!parents_.empty()) {
    result.kept = WhatIsKept(labels_, parents_, result.evaluation.predictions);
  }
  return result;
}

Evaluation Trial::Measure(const Checkpoint& model) const {
  return Evaluate(graph_, model, held_out_, options_, run_);
}

std::optional<size_t> BestOf(std::span<const TrialResult> candidates) {
  const auto merges = LowestLoss(candidates, /*copies_too=*/false);
  return merges ? merges : LowestLoss(candidates, /*copies_too=*/true);
}

}  // namespace rebasin::nn
