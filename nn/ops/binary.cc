// Functions of two or more numbers, with all inputs broadcast to one shape.

#include <ATen/ATen.h>

#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

using BinaryFunction = at::Tensor (*)(const at::Tensor&, const at::Tensor&);

template <BinaryFunction kFunction>
std::vector<at::Tensor> Binary(const OpCall& call) {
  return {kFunction(call[0], call[1])};
}

at::Tensor Plus(const at::Tensor& x, const at::Tensor& y) {
  return at::add(x, y);
}

at::Tensor Minus(const at::Tensor& x, const at::Tensor& y) {
  return at::sub(x, y);
}

// Integer division truncates towards zero.
std::vector<at::Tensor> Div(const OpCall& call) {
  if (OfFloats(call.context())) return {at::div(call[0], call[1])};
  return {at::div(call[0], call[1], "trunc")};
}

// A known exponent (squares, roots) is the usual case, and its gradient needs
// no logarithm.
std::vector<at::Tensor> Pow(const OpCall& call) {
  const std::optional<double> exponent = call.Number(1);
  const bool keeps_shape = call.output(0).shape == call.context().shape(0);
  if (exponent && keeps_shape) return {at::pow(call[0], *exponent)};
  return {at::pow(call[0], call[1])};
}

// The result has the divisor's sign, or with `fmod` the dividend's.
std::vector<at::Tensor> Mod(const OpCall& call) {
  const bool fmod = call.context().Int("fmod", 0) != 0;
  return {fmod ? at::fmod(call[0], call[1]) : at::remainder(call[0], call[1])};
}

std::vector<at::Tensor> BitShift(const OpCall& call) {
  const bool left = call.context().String("direction", "") == "LEFT";
  return {left ? at::bitwise_left_shift(call[0], call[1])
               : at::bitwise_right_shift(call[0], call[1])};
}

bool OfIntegers(const OpContext& context) {
  return context.type(0).kind == Kind::kInteger;
}

template <BinaryFunction kFunction>
at::Tensor Folded(const OpCall& call) {
  at::Tensor result = call[0];
  for (size_t i = 1; i < call.inputs(); ++i) {
    result = kFunction(result, call[i]);
  }
  return result;
}

template <BinaryFunction kFunction>
std::vector<at::Tensor> Fold(const OpCall& call) {
  return {Folded<kFunction>(call)};
}

std::vector<at::Tensor> Mean(const OpCall& call) {
  return {Folded<Plus>(call) / static_cast<double>(call.inputs())};
}

std::vector<at::Tensor> Where(const OpCall& call) {
  return {at::where(call[0].to(at::kBool), call[1], call[2])};
}

constexpr Lowering kLowerings[] = {
    {"Add", Binary<Plus>, OfNumbers},
    {"Sub", Binary<Minus>, OfNumbers},
    {"Mul", Binary<at::mul>, OfNumbers},
    {"Div", Div, OfNumbers},
    {"Pow", Pow, OfFloats},
    {"Mod", Mod, OfNumbers},
    {"BitShift", BitShift, OfIntegers},
    {"BitwiseAnd", Binary<at::bitwise_and>, OfIntegers},
    {"BitwiseOr", Binary<at::bitwise_or>, OfIntegers},
    {"BitwiseXor", Binary<at::bitwise_xor>, OfIntegers},
    {"Equal", Binary<at::eq>},
    {"Less", Binary<at::lt>},
    {"LessOrEqual", Binary<at::le>},
    {"Greater", Binary<at::gt>},
    {"GreaterOrEqual", Binary<at::ge>},
    {"And", Binary<at::logical_and>},
    {"Or", Binary<at::logical_or>},
    {"Xor", Binary<at::logical_xor>},
    {"Sum", Fold<Plus>, OfNumbers},
    {"Min", Fold<at::minimum>, OfNumbers},
    {"Max", Fold<at::maximum>, OfNumbers},
    {"Mean", Mean, OfFloats},
    {"Where", Where},
};

}  // namespace

std::span<const Lowering> BinaryLowerings() { return kLowerings; }

}  // namespace rebasin::nn
