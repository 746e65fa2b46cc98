// Functions of one number without parameters, and operators that return their
// input.

#include <ATen/ATen.h>

#include "graph/ops/common.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

template <at::Tensor (*kFunction)(const at::Tensor&)>
std::vector<at::Tensor> Unary(const OpCall& call) {
  return {kFunction(call[0])};
}

at::Tensor Softsign(const at::Tensor& x) { return x / (1 + x.abs()); }

// LibTorch replaces log(1 + e^x) by x above a threshold; above this one, double
// has no difference.
at::Tensor Softplus(const at::Tensor& x) { return at::softplus(x, 1, 40); }

std::vector<at::Tensor> Identity(const OpCall& call) { return {call[0]}; }

// Inference: nothing is dropped.
std::vector<at::Tensor> Dropout(const OpCall& call) {
  if (call.context().outputs() < 2) return {call[0]};
  return {call[0], at::ones(call[0].sizes(), call.options(1))};
}

std::vector<at::Tensor> Cast(const OpCall& call) {
  return {call[0].to(c10::typeMetaToScalarType(call.options(0).dtype()))};
}

// A bound may be missing or have no element.
c10::optional<at::Tensor> Bound(const OpCall& call, size_t input) {
  if (!call.Has(input) || call[input].numel() == 0) return c10::nullopt;
  return call[input].reshape({});
}

c10::optional<at::Scalar> KnownBound(const OpCall& call, size_t input) {
  const std::optional<double> number = call.Number(input);
  if (!number) return c10::nullopt;
  return at::Scalar(*number);
}

std::vector<at::Tensor> Clip(const OpCall& call) {
  const auto low = Bound(call, 1), high = Bound(call, 2);
  if (!low && !high) return {call[0]};
  const auto known_low = KnownBound(call, 1), known_high = KnownBound(call, 2);
  const bool known = low.has_value() == known_low.has_value() &&
                     high.has_value() == known_high.has_value();
  // Scalars are faster than tensors of one element.
  if (known && OfFloats(call.context())) {
    return {at::clamp(call[0], known_low, known_high)};
  }
  return {at::clamp(call[0], low, high)};
}

std::vector<at::Tensor> Trilu(const OpCall& call) {
  const int64_t k = call.Has(1) ? call.Ints(1).at(0) : 0;
  const bool upper = call.context().Int("upper", 1) != 0;
  return {upper ? at::triu(call[0], k) : at::tril(call[0], k)};
}

bool DiagonalIsKnown(const OpContext& context) {
  return !context.Has(1) || context.Ints(1).has_value();
}

bool CastsToWideTypes(const OpContext& context) {
  return !NarrowIntegers(context.Int("to", 1)).has_value();
}

constexpr Lowering kLowerings[] = {
    {"Relu", Unary<at::relu>, OfNumbers},
    {"Sigmoid", Unary<at::sigmoid>, OfFloats},
    {"HardSwish", Unary<at::hardswish>, OfFloats},
    {"Tanh", Unary<at::tanh>, OfFloats},
    {"Softplus", Unary<Softplus>, OfFloats},
    {"Softsign", Unary<Softsign>, OfFloats},
    {"Mish", Unary<at::mish>, OfFloats},
    {"Erf", Unary<at::erf>, OfFloats},
    {"Exp", Unary<at::exp>, OfFloats},
    {"Log", Unary<at::log>, OfFloats},
    {"Sqrt", Unary<at::sqrt>, OfFloats},
    {"Reciprocal", Unary<at::reciprocal>, OfFloats},
    {"Abs", Unary<at::abs>, OfNumbers},
    {"Neg", Unary<at::neg>, OfNumbers},
    {"Sign", Unary<at::sign>, OfNumbers},
    {"Floor", Unary<at::floor>, OfFloats},
    {"Ceil", Unary<at::ceil>, OfFloats},
    {"Round", Unary<at::round>, OfFloats},
    {"Sin", Unary<at::sin>, OfFloats},
    {"Cos", Unary<at::cos>, OfFloats},
    {"Tan", Unary<at::tan>, OfFloats},
    {"Asin", Unary<at::asin>, OfFloats},
    {"Acos", Unary<at::acos>, OfFloats},
    {"Atan", Unary<at::atan>, OfFloats},
    {"Sinh", Unary<at::sinh>, OfFloats},
    {"Cosh", Unary<at::cosh>, OfFloats},
    {"Asinh", Unary<at::asinh>, OfFloats},
    {"Acosh", Unary<at::acosh>, OfFloats},
    {"Atanh", Unary<at::atanh>, OfFloats},
    {"Not", Unary<at::logical_not>},
    {"IsNaN", Unary<at::isnan>},
    {"Identity", Identity},
    {"Dropout", Dropout},
    {"Cast", Cast, CastsToWideTypes},
    {"CastLike", Cast},
    {"Clip", Clip, OfNumbers},
    {"Trilu", Trilu, DiagonalIsKnown},
};

}  // namespace

std::span<const Lowering> ElementwiseLowerings() { return kLowerings; }

}  // namespace rebasin::nn
