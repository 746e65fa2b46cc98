// Matrix products.

#include <ATen/ATen.h>

#include <map>
#include <string>

#include "graph/ops/einsum_equation.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

std::vector<at::Tensor> MatMul(const OpCall& call) {
  return {call.FromFactors(at::matmul(call.Factor(0), call.Factor(1)))};
}

at::Tensor Scaled(const at::Tensor& x, double factor) {
  return factor == 1 ? x : x * factor;
}

// alpha op(A) op(B) + beta C
std::vector<at::Tensor> Gemm(const OpCall& call) {
  const OpContext& context = call.context();
  at::Tensor a = call.Factor(0), b = call.Factor(1);
  if (context.Int("transA", 0) != 0) a = a.t();
  if (context.Int("transB", 0) != 0) b = b.t();
  const double alpha = context.Float("alpha", 1);
  if (!call.Has(2)) return {Scaled(call.FromFactors(at::mm(a, b)), alpha)};
  const double beta = context.Float("beta", 1);
  if (call.RoundsFactors()) {
    return {
        at::add(Scaled(call.FromFactors(at::mm(a, b)), alpha), call[2], beta)};
  }
  const bool is_layer = call[2].dim() == 1 && call[2].size(0) == b.size(1);
  if (is_layer && alpha == 1 && beta == 1) {
    return {at::linear(a, b.t(), call[2])};
  }
  return {at::addmm(call[2], a, b, beta, alpha)};
}

// The equation with LibTorch's letters, including the axes of an ellipsis.
std::string EquationText(const Equation& equation) {
  std::map<Label, char> letters;
  for (const auto& [label, size] : equation.sizes) {
    const size_t next = letters.size();
    letters[label] =
        static_cast<char>(next < 26 ? 'a' + next : 'A' + next - 26);
  }
  std::string text;
  for (const Labels& labels : equation.inputs) {
    if (!text.empty()) text += ',';
    for (Label label : labels) text += letters.at(label);
  }
  text += "->";
  for (Label label : equation.output) text += letters.at(label);
  return text;
}

std::vector<at::Tensor> Einsum(const OpCall& call) {
  std::vector<at::Tensor> inputs;
  for (size_t i = 0; i < call.inputs(); ++i) inputs.push_back(call.Factor(i));
  return {call.FromFactors(
      at::einsum(EquationText(ParseEquation(call.context())), inputs))};
}

bool HasEnoughLetters(const OpContext& context) {
  constexpr size_t kLetters = 52;
  return OfFloats(context) && ParseEquation(context).sizes.size() <= kLetters;
}

constexpr Lowering kLowerings[] = {
    {"Einsum", Einsum, HasEnoughLetters},
    {"Gemm", Gemm, OfFloats},
    {"MatMul", MatMul, OfNumbers},
};

}  // namespace

std::span<const Lowering> ProductLowerings() { return kLowerings; }

}  // namespace rebasin::nn
