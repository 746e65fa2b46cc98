// Operators that write elements at the indices given by another input.

#include <algorithm>
#include <functional>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

using Combine = std::function<double(double old, double update)>;

// How an update is combined with the old element.
Combine Reduction(const OpContext& context) {
  const std::string name = context.String("reduction", "none");
  if (name == "none") return [](double, double update) { return update; };
  if (name == "add") return std::plus<double>();
  if (name == "mul") return std::multiplies<double>();
  if (name == "max") return MaxOrNan;
  if (name == "min") return MinOrNan;
  throw context.Bad("reduction " + Quoted(name) + " is unknown");
}

int64_t AxisOf(const OpContext& context) {
  return context.NormalAxis(context.Int("axis", 0), context.rank(0));
}

std::vector<ValueType> InferScatterElements(const OpContext& context) {
  const Shape& data = context.shape(0);
  const Shape& indices = context.shape(1);
  const int64_t axis = AxisOf(context);
  bool fits = data.size() == indices.size() && indices == context.shape(2);
  for (int64_t a = 0; fits && a < context.rank(0); ++a) {
    fits = a == axis || indices[a] <= data[a];
  }
  if (!fits) {
    throw context.Bad("indices " + ShapeText(indices) + " and updates " +
                      ShapeText(context.shape(2)) + " do not fit " +
                      ShapeText(data));
  }
  return {context.type(0)};
}

std::vector<Array> EvaluateScatterElements(const OpContext& context,
                                           std::span<const ValueType> types) {
  const int64_t axis = AxisOf(context);
  const int64_t size = context.shape(0)[axis];
  const Combine combine = Reduction(context);
  std::vector<int64_t> strides = Strides(context.shape(0));
  const int64_t stride = std::exchange(strides[axis], 0);
  const auto offsets = StridedOffsets(context.shape(1), strides);
  const std::vector<int64_t> indices = *context.Ints(1);
  std::vector<double> values = context.array(0)->values();
  for (size_t i = 0; i < offsets.size(); ++i) {
    const int64_t place = NormalIndex(context, indices[i], size);
    double& value = values[offsets[i] + place * stride];
    value = combine(value, context.array(2)->values()[i]);
  }
  return SingleOutput(types[0], std::move(values));
}

// The last axis of the indices holds one index for each of the first axes of
// the data. Each update covers the remaining axes.
std::vector<ValueType> InferScatterNd(const OpContext& context) {
  const Shape& data = context.shape(0);
  const Shape& indices = context.shape(1);
  if (indices.empty() || indices.back() > context.rank(0)) {
    throw context.Bad("indices " + ShapeText(indices) + " do not fit " +
                      ShapeText(data));
  }
  Shape updates(indices.begin(), indices.end() - 1);
  updates.insert(updates.end(), data.begin() + indices.back(), data.end());
  if (updates != context.shape(2)) {
    throw context.Bad("updates " + ShapeText(context.shape(2)) + " should be " +
                      ShapeText(updates));
  }
  return {context.type(0)};
}

std::vector<Array> EvaluateScatterNd(const OpContext& context,
                                     std::span<const ValueType> types) {
  const Combine combine = Reduction(context);
  const Shape& shape = context.shape(0);
  const int64_t depth = context.shape(1).back();
  const int64_t inner = Count(std::span(shape).subspan(depth));
  const std::vector<int64_t> indices = *context.Ints(1);
  const std::vector<int64_t> strides = Strides(shape);
  const std::vector<double>& updates = context.array(2)->values();
  std::vector<double> values = context.array(0)->values();
  for (size_t i = 0; i < updates.size(); ++i) {
    const int64_t row = static_cast<int64_t>(i) / inner;
    int64_t offset = static_cast<int64_t>(i) % inner;
    for (int64_t d = 0; d < depth; ++d) {
      offset +=
          NormalIndex(context, indices[row * depth + d], shape[d]) * strides[d];
    }
    values[offset] = combine(values[offset], updates[i]);
  }
  return SingleOutput(types[0], std::move(values));
}

constexpr OperatorInput kElements[] = {
    kData, {.role = InputRole::kIndices}, kData};
constexpr OperatorInput kPlaces[] = {
    kData, {.role = InputRole::kTuples}, kData};

constexpr AttributeDefault kAxis[] = {{"axis", 0}};

constexpr Operator kOperators[] = {
    {"ScatterElements", 3, InferScatterElements, EvaluateScatterElements,
     With(kUsual, kElements, DegreeLaw::kNone, kAxis)},
    {"ScatterND", 3, InferScatterNd, EvaluateScatterNd,
     With(kUsual, kPlaces, SymmetryLaw::kNone, DegreeLaw::kNone)},
};

}  // namespace

std::span<const Operator> ScatterOperators() { return kOperators; }

}  // namespace rebasin
