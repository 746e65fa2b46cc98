// Normalisations with scale and bias.

#include <ATen/ATen.h>

#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

double Epsilon(const OpCall& call) {
  return call.context().Float("epsilon", 1e-5);
}

// Running statistics are not trained: they get no gradient, and are updated
// without autograd.
std::vector<at::Tensor> BatchNormalization(const OpCall& call) {
  const BatchNormMode& mode = call.batch_norm();
  const at::Tensor mean = call[3].detach(), variance = call[4].detach();
  return {at::batch_norm(call[0], call[1], call[2], mean, variance,
                         mode.batch_statistics, mode.momentum, Epsilon(call),
                         false),
          mean, variance};
}

// Scale and bias may have one value for each group.
at::Tensor PerChannel(const at::Tensor& values, int64_t channels) {
  const int64_t size = values.size(0);
  return size == channels ? values : values.repeat_interleave(channels / size);
}

// After channels-last convolutions (conv.cc) LibTorch is slow to collect the
// values of a group: training VGG16 would take nearly twice as long.
at::Tensor NormalizedGroups(const OpCall& call, int64_t groups,
                            const at::Tensor& scale, const at::Tensor& bias) {
  return at::group_norm(call[0].contiguous(), groups, scale, bias,
                        Epsilon(call));
}

std::vector<at::Tensor> GroupNormalization(const OpCall& call) {
  const int64_t channels = call[0].size(1);
  return {NormalizedGroups(call, call.context().Int("num_groups", 1),
                           PerChannel(call[1], channels),
                           PerChannel(call[2], channels))};
}

// Each channel is a separate group.
std::vector<at::Tensor> InstanceNormalization(const OpCall& call) {
  return {NormalizedGroups(call, call[0].size(1), call[1], call[2])};
}

std::vector<at::Tensor> LayerNormalization(const OpCall& call) {
  const OpContext& context = call.context();
  const at::Tensor& x = call[0];
  const int64_t axis = context.NormalAxis(context.Int("axis", -1), x.dim());
  const at::IntArrayRef inner = x.sizes().slice(axis);
  const auto fitted = [&](size_t input) -> c10::optional<at::Tensor> {
    if (!call.Has(input)) return c10::nullopt;
    return call[input].sizes() == inner ? call[input]
                                        : call[input].expand(inner);
  };
  const at::Tensor y =
      at::layer_norm(x, inner, fitted(1), fitted(2), Epsilon(call));
  if (context.outputs() == 1) return {y};
  // The mean and the inverse deviation, rarely used outputs.
  std::vector<int64_t> axes;
  for (int64_t a = axis; a < x.dim(); ++a) axes.push_back(a);
  const at::Tensor mean = x.mean(axes, true);
  const at::Tensor variance = (x - mean).square().mean(axes, true);
  return {y, mean, at::rsqrt(variance + Epsilon(call))};
}

constexpr Lowering kLowerings[] = {
    {"BatchNormalization", BatchNormalization, OfFloats},
    {"GroupNormalization", GroupNormalization, OfFloats},
    {"InstanceNormalization", InstanceNormalization, OfFloats},
    {"LayerNormalization", LayerNormalization, OfFloats},
};

}  // namespace

std::span<const Lowering> NormLowerings() { return kLowerings; }

}  // namespace rebasin::nn
