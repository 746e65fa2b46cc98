// Functions of one number with parameters.

#include <ATen/ATen.h>

#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

std::vector<at::Tensor> LeakyRelu(const OpCall& call) {
  return {at::leaky_relu(call[0], call.context().Float("alpha", 0.01))};
}

std::vector<at::Tensor> Elu(const OpCall& call) {
  return {at::elu(call[0], call.context().Float("alpha", 1))};
}

std::vector<at::Tensor> Celu(const OpCall& call) {
  return {at::celu(call[0], call.context().Float("alpha", 1))};
}

// LibTorch's selu has no parameters, but its elu has a scale.
std::vector<at::Tensor> Selu(const OpCall& call) {
  const OpContext& context = call.context();
  const double alpha = context.Float("alpha", 1.67326319217681884765625);
  const double gamma = context.Float("gamma", 1.05070102214813232421875);
  return {at::elu(call[0], alpha, gamma)};
}

std::vector<at::Tensor> ThresholdedRelu(const OpCall& call) {
  return {at::threshold(call[0], call.context().Float("alpha", 1), 0)};
}

std::vector<at::Tensor> HardSigmoid(const OpCall& call) {
  const double alpha = call.context().Float("alpha", 0.2);
  const double beta = call.context().Float("beta", 0.5);
  return {at::clamp(call[0] * alpha + beta, 0, 1)};
}

std::vector<at::Tensor> Gelu(const OpCall& call) {
  return {
      at::gelu(call[0], call.context().String("approximate", "none") == "tanh"
                            ? "tanh"
                            : "none")};
}

std::vector<at::Tensor> Shrink(const OpCall& call) {
  const double lambda = call.context().Float("lambd", 0.5);
  const double bias = call.context().Float("bias", 0);
  const at::Tensor& x = call[0];
  const at::Tensor shrunk = at::where(x > 0, x - bias, x + bias);
  return {at::where(x.abs() > lambda, shrunk, at::zeros({}, x.options()))};
}

std::vector<at::Tensor> IsInf(const OpCall& call) {
  const bool negative = call.context().Int("detect_negative", 1) != 0;
  const bool positive = call.context().Int("detect_positive", 1) != 0;
  at::Tensor found = at::isinf(call[0]);
  if (!negative) found = found & (call[0] > 0);
  if (!positive) found = found & (call[0] < 0);
  return {found};
}

// The slope is broadcast to the input.
std::vector<at::Tensor> PRelu(const OpCall& call) {
  const at::Tensor& x = call[0];
  return {at::where(x < 0, call[1] * x, x)};
}

// With a negative lambda the two branches would overlap.
bool ShrinksOutwards(const OpContext& context) {
  return OfFloats(context) && context.Float("lambd", 0.5) >= 0;
}

constexpr Lowering kLowerings[] = {
    {"LeakyRelu", LeakyRelu, OfFloats},
    {"Elu", Elu, OfFloats},
    {"Celu", Celu, OfFloats},
    {"Selu", Selu, OfFloats},
    {"ThresholdedRelu", ThresholdedRelu, OfFloats},
    {"HardSigmoid", HardSigmoid, OfFloats},
    {"Gelu", Gelu, OfFloats},
    {"com.microsoft::Gelu", Gelu, OfFloats},
    {"Shrink", Shrink, ShrinksOutwards},
    {"IsInf", IsInf, OfFloats},
    {"PRelu", PRelu, OfNumbers},
};

}  // namespace

std::span<const Lowering> ActivationLowerings() { return kLowerings; }

}  // namespace rebasin::nn
