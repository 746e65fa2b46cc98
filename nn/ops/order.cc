// Operators that depend on the order of elements along an axis, and operators
// that make tensors from a few numbers.

#include <ATen/ATen.h>

#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

int64_t AxisOr(const OpCall& call, int64_t otherwise) {
  return call.context().NormalAxis(call.context().Int("axis", otherwise),
                                   call[0].dim());
}

using ArgFunction = at::Tensor (*)(const at::Tensor&, c10::optional<int64_t>,
                                   bool);

// LibTorch returns the first of equal elements; for the last one, flips the
// axis.
template <ArgFunction kFunction>
std::vector<at::Tensor> Arg(const OpCall& call) {
  const int64_t axis = AxisOr(call, 0);
  const bool keep = call.context().Int("keepdims", 1) != 0;
  if (call.context().Int("select_last_index", 0) == 0) {
    return {kFunction(call[0], axis, keep)};
  }
  return {call[0].size(axis) - 1 - kFunction(call[0].flip(axis), axis, keep)};
}

at::Tensor SumsAlong(const at::Tensor& x, int64_t axis, bool exclusive) {
  const at::Tensor sums = at::cumsum(x, axis);
  const int64_t size = x.size(axis);
  if (!exclusive || size == 0) return sums;
  return at::cat(
      {at::zeros_like(sums.narrow(axis, 0, 1)), sums.narrow(axis, 0, size - 1)},
      axis);
}

std::vector<at::Tensor> CumSum(const OpCall& call) {
  const int64_t axis =
      call.context().NormalAxis(call.Ints(1).at(0), call[0].dim());
  const bool exclusive = call.context().Int("exclusive", 0) != 0;
  if (call.context().Int("reverse", 0) == 0) {
    return {SumsAlong(call[0], axis, exclusive)};
  }
  return {SumsAlong(call[0].flip(axis), axis, exclusive).flip(axis)};
}

bool KnowsAxis(const OpContext& context) {
  return OfNumbers(context) && context.Ints(1).has_value();
}

// Sorts everything: LibTorch's topk does not keep the order of equal elements.
std::vector<at::Tensor> TopK(const OpCall& call) {
  const int64_t axis = AxisOr(call, -1);
  const bool largest = call.context().Int("largest", 1) != 0;
  const int64_t k = call.output(0).shape[axis];
  const auto [values, places] = at::sort(call[0], true, axis, largest);
  return {values.narrow(axis, 0, k), places.narrow(axis, 0, k)};
}

// Inputs: indices, depth, {off, on}. Indices out of range have no effect.
std::vector<at::Tensor> OneHot(const OpCall& call) {
  const int64_t rank = call[0].dim() + 1;
  const int64_t axis =
      call.context().NormalAxis(call.context().Int("axis", -1), rank);
  const int64_t depth = call.output(0).shape[axis];
  std::vector<int64_t> along(rank, 1);
  along[axis] = depth;
  const at::Tensor indices = call[0].to(at::kLong).unsqueeze(axis);
  const at::Tensor hot = at::where(indices < 0, indices + depth, indices) ==
                         at::arange(depth, indices.options()).reshape(along);
  const at::Tensor values = call[2].flatten();
  return {at::where(hot, values[1], values[0])};
}

std::vector<at::Tensor> EyeLike(const OpCall& call) {
  const Shape& shape = call.output(0).shape;
  const int64_t k = call.context().Int("k", 0);
  at::Tensor eye = at::zeros(shape, call.options(0));
  if (k > -shape[0] && k < shape[1]) eye.diagonal(k).fill_(1);
  return {eye};
}

constexpr Lowering kLowerings[] = {
    {"ArgMax", Arg<at::argmax>, OfNumbers},
    {"ArgMin", Arg<at::argmin>, OfNumbers},
    {"CumSum", CumSum, KnowsAxis},
    {"TopK", TopK, OfNumbers},
    {"OneHot", OneHot},
    {"EyeLike", EyeLike},
};

}  // namespace

std::span<const Lowering> OrderLowerings() { return kLowerings; }

}  // namespace rebasin::nn
