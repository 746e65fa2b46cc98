// Operators that read elements at the indices given by another input.

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

int64_t AxisOf(const OpContext& context) {
  return context.NormalAxis(context.Int("axis", 0), context.rank(0));
}

std::vector<ValueType> InferGather(const OpContext& context) {
  const Shape& data = context.shape(0);
  const Shape& indices = context.shape(1);
  const int64_t axis = AxisOf(context);
  Shape shape(data.begin(), data.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + axis + 1, data.end());
  return {KnownType(context.type(0).kind, std::move(shape))};
}

std::vector<Array> EvaluateGather(const OpContext& context,
                                  std::span<const ValueType> types) {
  const AxisView view = ViewAxis(context.shape(0), AxisOf(context));
  const std::vector<double>& data = context.array(0)->values();
  std::vector<int64_t> indices = *context.Ints(1);
  for (int64_t& index : indices) index = NormalIndex(context, index, view.size);
  std::vector<double> values;
  values.reserve(Count(types[0].shape));
  for (int64_t outer = 0; outer < view.outer; ++outer) {
    for (int64_t index : indices) {
      const auto row = data.begin() + (outer * view.size + index) * view.inner;
      values.insert(values.end(), row, row + view.inner);
    }
  }
  return SingleOutput(types[0], std::move(values));
}

std::vector<ValueType> InferGatherElements(const OpContext& context) {
  const Shape& data = context.shape(0);
  const Shape& indices = context.shape(1);
  const int64_t axis = AxisOf(context);
  bool fits = data.size() == indices.size();
  for (int64_t a = 0; fits && a < context.rank(0); ++a) {
    fits = a == axis || indices[a] <= data[a];
  }
  if (!fits) {
    throw context.Bad("indices " + ShapeText(indices) + " do not fit " +
                      ShapeText(data));
  }
  return {KnownType(context.type(0).kind, indices)};
}

std::vector<Array> EvaluateGatherElements(const OpContext& context,
                                          std::span<const ValueType> types) {
  const int64_t axis = AxisOf(context);
  std::vector<int64_t> strides = Strides(context.shape(0));
  const int64_t stride = strides[axis];
  strides[axis] = 0;
  auto offsets = StridedOffsets(types[0].shape, strides);
  const std::vector<int64_t> indices = *context.Ints(1);
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] +=
        NormalIndex(context, indices[i], context.shape(0)[axis]) * stride;
  }
  return SingleOutput(types[0], Pick(context.array(0)->values(), offsets));
}

// The last axis of the indices holds one index for each of the data's axes
// after the batch axes, or for the first of them.
std::vector<ValueType> InferGatherNd(const OpContext& context) {
  const Shape& data = context.shape(0);
  const Shape& indices = context.shape(1);
  const int64_t batch = context.Int("batch_dims", 0);
  if (indices.empty() || batch < 0 || batch >= context.rank(1) ||
      indices.back() > context.rank(0) - batch) {
    throw context.Bad("indices " + ShapeText(indices) + " do not fit " +
                      ShapeText(data));
  }
  if (!std::equal(data.begin(), data.begin() + batch, indices.begin())) {
    throw context.Bad("its batch axes differ");
  }
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), data.begin() + batch + indices.back(), data.end());
  return {KnownType(context.type(0).kind, std::move(shape))};
}

std::vector<Array> EvaluateGatherNd(const OpContext& context,
                                    std::span<const ValueType> types) {
  const Shape& shape = context.shape(0);
  const std::span<const int64_t> sizes(shape);
  const int64_t batch = context.Int("batch_dims", 0);
  const int64_t depth = context.shape(1).back();
  const int64_t batches = Count(sizes.first(batch));
  const int64_t inner = Count(sizes.subspan(batch + depth));
  const auto strides = Strides(shape);
  const std::vector<int64_t> indices = *context.Ints(1);
  const std::vector<double>& data = context.array(0)->values();
  const int64_t rows = Count(types[0].shape) / inner;
  std::vector<double> values;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t offset = row / (rows / batches) * Count(sizes.subspan(batch));
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t axis = batch + d;
      offset += NormalIndex(context, indices[row * depth + d], shape[axis]) *
                strides[axis];
    }
    values.insert(values.end(), data.begin() + offset,
                  data.begin() + offset + inner);
  }
  return SingleOutput(types[0], std::move(values));
}

constexpr OperatorInput kRows[] = {
    {.role = InputRole::kTable},
    {.role = InputRole::kIndices, .limit = IndexLimit::kNamedAxis}};
constexpr OperatorInput kElements[] = {kData, {.role = InputRole::kIndices}};
constexpr OperatorInput kPlaces[] = {
    {.role = InputRole::kTable},
    {.role = InputRole::kTuples, .limit = IndexLimit::kSmallestAxis}};

constexpr AttributeDefault kAxis[] = {{"axis", 0}};

constexpr Operator kOperators[] = {
    {"Gather", 2, InferGather, EvaluateGather,
     With(kUsual, kRows, DegreeLaw::kMoved, WeightInit::kTable,
          SizeMarks::kMoved,
          Kept{.indices = true, .positions = true, .chosen_units = true},
          WrittenSizes::kPickedIndex, ZeroLaw::kAsTable, kAxis)},
    {"GatherElements", 2, InferGatherElements, EvaluateGatherElements,
     With(kUsual, kElements, DegreeLaw::kNone, Kept{.positions = true}, kAxis)},
    {"GatherND", 2, InferGatherNd, EvaluateGatherNd,
     With(kUsual, kPlaces, DegreeLaw::kNone, WeightInit::kZeros,
          ZeroLaw::kAsTable)},
};

}  // namespace

std::span<const Operator> GatherOperators() { return kOperators; }

}  // namespace rebasin
