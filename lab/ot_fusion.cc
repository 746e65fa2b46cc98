#include "lab/ot_fusion.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "assignment/assignment.h"
#include "base/parallel.h"
#include "rebasin/error.h"
#include "tensor/gemm.h"

namespace rebasin::lab {
namespace {

// The incoming weights of units, one row for each, of unit length.
struct Rows {
  std::vector<float> values;
  size_t count = 0, length = 0;
};

// The only group of an axis; kNoGroup if its units are fixed.
int GroupOf(const Axis& axis) {
  int found = kNoGroup;
  for (const Segment& segment : axis.segments) {
    for (const Factor& factor : segment) {
      if (factor.group != kNoGroup) found = factor.group;
    }
  }
  return found;
}

// The weight with the group on its first axis: that of the layer.
const TensorSymmetry& LayerOf(const Symmetry& symmetry, int group) {
  for (const TensorSymmetry& tensor : symmetry.tensors()) {
    if (tensor.axes.size() > 1 && GroupOf(tensor.axes[0]) == group) {
      return tensor;
    }
  }
  throw Error(ErrorCode::kUnsupported,
              "no layer computes the units of the group " +
                  Quoted(symmetry.groups()[static_cast<size_t>(group)].name));
}

void ScaleToUnitLength(Rows& rows) {
  for (size_t i = 0; i < rows.count; ++i) {
    float* const row = rows.values.data() + i * rows.length;
    double squares = 0;
    for (size_t j = 0; j < rows.length; ++j) squares += double{row[j]} * row[j];
    const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
    for (size_t j = 0; j < rows.length; ++j) {
      row[j] = static_cast<float>(row[j] * scale);
    }
  }
}

// `inputs` is the order of the units of the layer before; empty: as they are.
Rows RowsOf(const Tensor& weight, std::span<const int32_t> inputs) {
  const auto count = static_cast<size_t>(weight.shape[0]);
  std::vector<float> values(static_cast<size_t>(weight.size()));
  ReadFloats(weight, 0, values);
  Rows rows{values, count, values.size() / count};
  const size_t block = inputs.empty() ? 0 : rows.length / inputs.size();
  for (size_t i = 0; !inputs.empty() && i < count; ++i) {
    for (size_t j = 0; j < inputs.size(); ++j) {
      const size_t from =
          i * rows.length + static_cast<size_t>(inputs[j]) * block;
      std::copy_n(values.begin() + static_cast<int64_t>(from), block,
                  rows.values.begin() +
                      static_cast<int64_t>(i * rows.length + j * block));
    }
  }
  ScaleToUnitLength(rows);
  return rows;
}

// Distances of vectors of unit length.
std::vector<float> Distances(const Rows& a, const Rows& b, ThreadPool& pool) {
  const auto n = static_cast<int64_t>(a.count);
  const auto k = static_cast<int64_t>(a.length);
  std::vector<float> costs(a.count * a.count, 0.0F);
  GemmAdd(pool, {.m = n, .n = n, .k = k},
          PackFrom({.data = a.values.data(), .stride = k}),
          PackFrom({.data = b.values.data(), .stride = k}), costs.data(), n);
  for (float& cost : costs) {
    cost = std::sqrt(std::max(0.0F, 2 - 2 * cost));
  }
  return costs;
}

}  // namespace

Alignment OtFusion(const Checkpoint& a, const Checkpoint& b,
                   const std::shared_ptr<const Symmetry>& symmetry) {
  Alignment alignment(symmetry);
  ThreadPool pool(1);
  const auto groups = static_cast<int>(symmetry->groups().size());
  for (int group = 0; group < groups; ++group) {
    const TensorSymmetry& layer = LayerOf(*symmetry, group);
    const int before = GroupOf(layer.axes[1]);
    const auto inputs = before == kNoGroup ? std::span<const int32_t>()
                                           : alignment.permutation(before);
    const Rows rows_a = RowsOf(*a.Find(layer.name), {});
    const Rows rows_b = RowsOf(*b.Find(layer.name), inputs);
    const auto n = static_cast<int64_t>(rows_a.count);
    const std::vector<float> costs = Distances(rows_a, rows_b, pool);
    const Assignment found =
        SolveAssignment({.data = costs.data(), .n = n, .stride = n});
    std::copy(found.column_of_row.begin(), found.column_of_row.end(),
              alignment.mutable_permutation(group).begin());
  }
  return alignment;
}

}  // namespace rebasin::lab
