// Reductions, global pooling, and functions along one axis.

#include <ATen/ATen.h>

#include "graph/ops/axes.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

// The tensor to reduce, and its axes.
struct Reduction {
  at::Tensor x;
  std::vector<int64_t> axes;
  bool keep = true;
};

// Without axes, each element is reduced by itself. LibTorch would interpret
// that as all axes, so an axis of size 1 is added.
Reduction ReadReduction(const OpCall& call) {
  const std::vector<int64_t> axes = *ReduceAxes(call.context());
  if (axes.empty()) return {call[0].unsqueeze(-1), {call[0].dim()}, false};
  return {call[0], axes, call.context().Int("keepdims", 1) != 0};
}

at::Tensor Sum(const Reduction& r) { return at::sum(r.x, r.axes, r.keep); }
at::Tensor Mean(const Reduction& r) { return at::mean(r.x, r.axes, r.keep); }
at::Tensor Most(const Reduction& r) { return at::amax(r.x, r.axes, r.keep); }
at::Tensor Least(const Reduction& r) { return at::amin(r.x, r.axes, r.keep); }
at::Tensor L1(const Reduction& r) { return at::sum(r.x.abs(), r.axes, r.keep); }
at::Tensor L2(const Reduction& r) {
  return at::linalg_vector_norm(r.x, 2, r.axes, r.keep);
}
at::Tensor LogSum(const Reduction& r) { return Sum(r).log(); }
at::Tensor SumSquare(const Reduction& r) {
  return at::sum(r.x.square(), r.axes, r.keep);
}
at::Tensor LogSumExp(const Reduction& r) {
  return at::logsumexp(r.x, r.axes, r.keep);
}

template <at::Tensor (*kReduce)(const Reduction&)>
std::vector<at::Tensor> Reduce(const OpCall& call) {
  return {kReduce(ReadReduction(call))};
}

// LibTorch multiplies along one axis at a time.
std::vector<at::Tensor> ReduceProd(const OpCall& call) {
  const std::vector<int64_t> axes = *ReduceAxes(call.context());
  at::Tensor result = call[0];
  for (int64_t axis : axes) result = at::prod(result, axis, true);
  return {result.reshape(call.output(0).shape)};
}

template <at::Tensor (*kReduce)(const Reduction&)>
std::vector<at::Tensor> GlobalPool(const OpCall& call) {
  return {kReduce({call[0], SpatialAxes(call.context()), true})};
}

std::vector<at::Tensor> GlobalLpPool(const OpCall& call) {
  const double p = static_cast<double>(call.context().Int("p", 2));
  return {
      at::linalg_vector_norm(call[0], p, SpatialAxes(call.context()), true)};
}

int64_t AxisOf(const OpCall& call) {
  return call.context().NormalAxis(call.context().Int("axis", -1),
                                   call[0].dim());
}

std::vector<at::Tensor> Softmax(const OpCall& call) {
  return {at::softmax(call[0], AxisOf(call))};
}

std::vector<at::Tensor> LogSoftmax(const OpCall& call) {
  return {at::log_softmax(call[0], AxisOf(call))};
}

// 1 at the first of the largest elements.
std::vector<at::Tensor> Hardmax(const OpCall& call) {
  const int64_t axis = AxisOf(call);
  return {
      at::zeros_like(call[0]).scatter_(axis, call[0].argmax(axis, true), 1)};
}

// Vectors of zeros stay zero.
std::vector<at::Tensor> LpNormalization(const OpCall& call) {
  const double p = call.context().Int("p", 2) == 1 ? 1 : 2;
  const at::Tensor norm =
      at::linalg_vector_norm(call[0], p, AxisOf(call), true);
  return {call[0] / at::where(norm > 0, norm, at::ones_like(norm))};
}

constexpr Lowering kLowerings[] = {
    {"ReduceSum", Reduce<Sum>, OfNumbers},
    {"ReduceMean", Reduce<Mean>, OfFloats},
    {"ReduceMax", Reduce<Most>, OfNumbers},
    {"ReduceMin", Reduce<Least>, OfNumbers},
    {"ReduceProd", ReduceProd, OfNumbers},
    {"ReduceL1", Reduce<L1>, OfNumbers},
    {"ReduceL2", Reduce<L2>, OfFloats},
    {"ReduceLogSum", Reduce<LogSum>, OfFloats},
    {"ReduceSumSquare", Reduce<SumSquare>, OfNumbers},
    {"ReduceLogSumExp", Reduce<LogSumExp>, OfFloats},
    {"GlobalAveragePool", GlobalPool<Mean>, OfFloats},
    {"GlobalMaxPool", GlobalPool<Most>, OfFloats},
    {"GlobalLpPool", GlobalLpPool, OfFloats},
    {"Softmax", Softmax, OfFloats},
    {"LogSoftmax", LogSoftmax, OfFloats},
    {"Hardmax", Hardmax, OfFloats},
    {"LpNormalization", LpNormalization, OfFloats},
};

}  // namespace

std::span<const Lowering> ReduceLowerings() { return kLowerings; }

}  // namespace rebasin::nn
