#include <ATen/ATen.h>

#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

template <at::Tensor (*kFunction)(const at::Tensor&)>
std::vector<at::Tensor> Unary(const OpCall& call) {
  return {kFunction(call[0])};
}

std::vector<at::Tensor> Add(const OpCall& call) {
  return {at::add(call[0], call[1])};
}

constexpr Lowering kLowerings[] = {
    {"Add", Add},
    {"Relu", Unary<at::relu>},
};

}  // namespace

std::span<const Lowering> ElementwiseLowerings() { return kLowerings; }

}  // namespace rebasin::nn
