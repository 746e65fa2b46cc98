// Reads and writes elements at positions given by another input.

#include <ATen/ATen.h>

#include "graph/ops/common.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

int64_t AxisOf(const OpCall& call) {
  return call.context().NormalAxis(call.context().Int("axis", 0),
                                   call[0].dim());
}

// Returns the indices of input 1 without negative values; `sizes` has the axis
// size for each index along their last axis, or one for all. Known indices are
// checked like in the reference; LibTorch checks others when they are used.
at::Tensor Normal(const OpCall& call, const std::vector<int64_t>& sizes) {
  if (const auto known = call.context().Ints(1)) {
    for (size_t i = 0; i < known->size(); ++i) {
      NormalIndex(call.context(), (*known)[i], sizes[i % sizes.size()]);
    }
  }
  const at::Tensor& indices = call[1];
  const at::Tensor size = at::tensor(sizes, indices.options());
  return at::where(indices < 0,
                   indices + (sizes.size() == 1 ? size.reshape({}) : size),
                   indices);
}

std::vector<at::Tensor> Gather(const OpCall& call) {
  const int64_t axis = AxisOf(call);
  const at::Tensor& data = call[0];
  const at::Tensor indices = Normal(call, {data.size(axis)});
  if (indices.dim() == 0 && call.Number(1)) {
    return {data.select(axis, indices.item<int64_t>())};  // a view
  }
  if (axis == 0 && data.dim() == 2) return {at::embedding(data, indices)};
  return {at::index_select(data, axis, indices.flatten())
              .reshape(call.output(0).shape)};
}

std::vector<at::Tensor> GatherElements(const OpCall& call) {
  const int64_t axis = AxisOf(call);
  return {at::gather(call[0], axis, Normal(call, {call[0].size(axis)}))};
}

// Data as rows, and the numbers of the rows that the last axis of the indices
// selects with one index for each of the axes [batch, batch + depth).
struct Rows {
  at::Tensor data;     // rows x elements of a row
  at::Tensor indices;  // of rows, flat
};

Rows ReadRows(const OpCall& call, int64_t batch) {
  const Shape& shape = call.context().shape(0);
  const std::span<const int64_t> sizes(shape);
  const int64_t depth = call.context().shape(1).back();
  const int64_t batches = Count(sizes.first(batch));
  const Shape named(sizes.begin() + batch, sizes.begin() + batch + depth);
  const int64_t inner = Count(sizes.subspan(batch + depth));
  at::Tensor indices = call[1];
  if (depth > 0) {
    indices = Normal(call, named);
    const at::Tensor limits = at::tensor(named, indices.options());
    if (at::any((indices < 0) | (indices >= limits)).item<bool>()) {
      throw call.context().Bad("an index is out of range");
    }
  }
  indices = (indices * at::tensor(Strides(named), indices.options()))
                .sum(-1)
                .reshape({batches, -1});
  const at::Tensor starts = at::arange(batches, indices.options());
  indices = indices + starts.unsqueeze(-1) * Count(named);
  return {call[0].reshape({batches * Count(named), inner}), indices.flatten()};
}

std::vector<at::Tensor> GatherNd(const OpCall& call) {
  const Rows rows = ReadRows(call, call.context().Int("batch_dims", 0));
  return {at::index_select(rows.data, 0, rows.indices)
              .reshape(call.output(0).shape)};
}

// Writes the updates along an axis, with the reduction of the attribute.
at::Tensor Scattered(const OpCall& call, const at::Tensor& data, int64_t axis,
                     const at::Tensor& indices, const at::Tensor& updates) {
  const std::string how = call.context().String("reduction", "none");
  if (how == "none") return at::scatter(data, axis, indices, updates);
  if (how == "add") return at::scatter_add(data, axis, indices, updates);
  const std::string name = how == "mul"   ? "prod"
                           : how == "max" ? "amax"
                           : how == "min" ? "amin"
                                          : "";
  if (!name.empty()) {
    return at::scatter_reduce(data, axis, indices, updates, name);
  }
  throw call.context().Bad("reduction " + Quoted(how) + " is not known");
}

std::vector<at::Tensor> ScatterElements(const OpCall& call) {
  const int64_t axis = AxisOf(call);
  const at::Tensor indices = Normal(call, {call[0].size(axis)});
  return {Scattered(call, call[0], axis, indices, call[2])};
}

std::vector<at::Tensor> ScatterNd(const OpCall& call) {
  const Rows rows = ReadRows(call, 0);
  const int64_t inner = rows.data.size(1);
  const at::Tensor places = rows.indices.unsqueeze(-1).expand({-1, inner});
  const at::Tensor updates = call[2].reshape({-1, inner});
  return {Scattered(call, rows.data, 0, places, updates)
              .reshape(call.output(0).shape)};
}

constexpr Lowering kLowerings[] = {
    {"Gather", Gather},
    {"GatherElements", GatherElements},
    {"GatherND", GatherNd},
    {"ScatterElements", ScatterElements, OfNumbers},
    {"ScatterND", ScatterNd, OfNumbers},
};

}  // namespace

std::span<const Lowering> GatherLowerings() { return kLowerings; }

}  // namespace rebasin::nn
