// Normalisations without trained parameters.

#include <ATen/ATen.h>

#include <algorithm>

#include "graph/ops/axes.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

std::vector<at::Tensor> MeanVarianceNormalization(const OpCall& call) {
  constexpr double kEpsilon = 1e-9;  // as the standard defines
  const std::vector<int64_t> axes = MeanVarianceAxes(call.context());
  const at::Tensor centred = call[0] - call[0].mean(axes, true);
  const at::Tensor deviation = centred.square().mean(axes, true).sqrt();
  return {centred / (deviation + kEpsilon)};
}

// LibTorch would interpret no axes as all axes.
bool HasAxes(const OpContext& context) {
  return OfFloats(context) && !MeanVarianceAxes(context).empty();
}

// Divides by a power of the sum of squares of neighbouring channels, computed
// by a window over the padded channels.
std::vector<at::Tensor> Lrn(const OpCall& call) {
  const OpContext& context = call.context();
  const at::Tensor& x = call[0];
  const int64_t size = context.Int("size", 1);
  // Limited by the number of channels.
  const int64_t before = std::min((size - 1) / 2, x.size(1));
  const int64_t after = std::min(size / 2, x.size(1));
  std::vector<std::pair<int64_t, int64_t>> margins(x.dim() - 1);
  margins[0] = {before, after};
  const at::Tensor sums =
      Padded(x.square(), margins).unfold(1, before + 1 + after, 1).sum(-1);
  const double alpha = context.Float("alpha", 1e-4);
  const at::Tensor scale =
      sums * (alpha / static_cast<double>(size)) + context.Float("bias", 1);
  return {x * at::pow(scale, -context.Float("beta", 0.75))};
}

constexpr Lowering kLowerings[] = {
    {"MeanVarianceNormalization", MeanVarianceNormalization, HasAxes},
    {"LRN", Lrn, OfFloats},
};

}  // namespace

std::span<const Lowering> PlainNormLowerings() { return kLowerings; }

}  // namespace rebasin::nn
