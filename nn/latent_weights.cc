#include "nn/latent_weights.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace rebasin::nn {

LatentWeights::LatentWeights(const Blend& start,
                             const StraightThroughOptions& options)
    : a_(start.a()),
      weights_(a_.Clone()),
      target_(a_.Clone()),
      midpoint_(options.latent == StraightThroughLatent::kMidpoint),
      apart_(midpoint_ &&
             options.projection == StraightThroughProjection::kDistance) {
  if (options.latent_start == StraightThroughStart::kPermuted) {
    weights_.flat().copy_(start.permuted().flat());
  } else if (options.latent_start == StraightThroughStart::kMidpoint) {
    weights_.flat().copy_(start.weights().flat());
  }
  Refresh();
}

// With the midpoint M instead of pi(B), the point is
// (1 - 2 lambda) A + 2 lambda M.
double LatentWeights::Slope(double lambda) const {
  return midpoint_ ? 2 * lambda : lambda;
}

// |W - (A + pi(B)) / 2| is minimal where |2W - A - pi(B)| is.
void LatentWeights::Refresh() {
  if (!apart_) return;
  const c10::NoGradGuard no_gradients;
  at::Tensor target = target_.flat();
  at::sub_out(target, weights_.flat(), a_.flat());
  target.add_(weights_.flat());
}

Checkpoint WithViews(const Checkpoint& model, const Graph& graph,
                     const Weights& numbers) {
  std::vector<Tensor> tensors = model.tensors();
  const std::vector<ValueId>& ids = graph.weights();
  for (Tensor& tensor : tensors) {
    const ValueId id = graph.FindWeight(tensor.name);
    const auto at = std::find(ids.begin(), ids.end(), id);
    if (id == kNoValue || at == ids.end()) continue;
    tensor = ViewOf(numbers.tensors()[at - ids.begin()], tensor.name);
  }
  return Checkpoint(std::move(tensors));
}

}  // namespace rebasin::nn
