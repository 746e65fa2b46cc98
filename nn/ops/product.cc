#include <ATen/ATen.h>

#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

std::vector<at::Tensor> MatMul(const OpCall& call) {
  return {at::matmul(call[0], call[1])};
}

// alpha op(A) op(B) + beta C
std::vector<at::Tensor> Gemm(const OpCall& call) {
  const OpContext& context = call.context();
  const at::Tensor a = context.Int("transA", 0) != 0 ? call[0].t() : call[0];
  const at::Tensor b = context.Int("transB", 0) != 0 ? call[1].t() : call[1];
  const double alpha = context.Float("alpha", 1);
  if (!call.Has(2)) {
    const at::Tensor product = at::mm(a, b);
    return {alpha == 1 ? product : product * alpha};
  }
  return {at::addmm(call[2], a, b, context.Float("beta", 1), alpha)};
}

constexpr Lowering kLowerings[] = {
    {"Gemm", Gemm},
    {"MatMul", MatMul},
};

}  // namespace

std::span<const Lowering> ProductLowerings() { return kLowerings; }

}  // namespace rebasin::nn
