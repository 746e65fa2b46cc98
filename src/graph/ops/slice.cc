// Operators that split arrays along an axis, or join them.

#include "graph/ops/slice.h"

#include <algorithm>
#include <numeric>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

int64_t AxisOf(const OpContext& context) {
  return context.NormalAxis(context.Int("axis", 0), context.rank(0));
}

Shape WithSize(Shape shape, int64_t axis, int64_t size) {
  shape[axis] = size;
  return shape;
}

std::vector<ValueType> InferConcat(const OpContext& context) {
  const Shape& first = context.shape(0);
  const int64_t axis = AxisOf(context);
  int64_t total = first[axis];
  for (size_t i = 1; i < context.inputs(); ++i) {
    const Shape& other = context.shape(i);
    if (other.size() != first.size() ||
        WithSize(other, axis, first[axis]) != first) {
      throw context.Bad("shapes " + ShapeText(first) + " and " +
                        ShapeText(other) + " cannot be joined");
    }
    total = Plus(context, total, other[axis]);
  }
  return {KnownType(context.type(0).kind, WithSize(first, axis, total))};
}

std::vector<Array> EvaluateConcat(const OpContext& context,
                                  std::span<const ValueType> types) {
  const AxisView view = ViewAxis(types[0].shape, AxisOf(context));
  std::vector<double> values;
  values.reserve(Count(types[0].shape));
  for (int64_t outer = 0; outer < view.outer; ++outer) {
    for (size_t i = 0; i < context.inputs(); ++i) {
      const int64_t block = context.array(i)->size() / view.outer;
      const auto from = context.array(i)->values().begin() + outer * block;
      values.insert(values.end(), from, from + block);
    }
  }
  return SingleOutput(types[0], std::move(values));
}

// One equal part for each output; the last may be smaller.
std::vector<int64_t> EqualParts(const OpContext& context, int64_t size) {
  const int64_t parts = static_cast<int64_t>(context.outputs());
  const int64_t part = size / parts + (size % parts != 0);
  std::vector<int64_t> sizes;
  for (int64_t begin = 0; sizes.size() < context.outputs(); begin += part) {
    sizes.push_back(std::clamp(size - begin, int64_t{0}, part));
  }
  return sizes;
}

std::vector<ValueType> InferSplit(const OpContext& context) {
  const Shape& shape = context.shape(0);
  const int64_t axis = AxisOf(context);
  if (context.Has(1) && !context.Ints(1)) {
    return std::vector<ValueType>(context.outputs());
  }
  const std::vector<int64_t> sizes =
      context.Has(1) ? *context.Ints(1) : EqualParts(context, shape[axis]);
  int64_t total = 0;
  std::vector<ValueType> types;
  for (int64_t size : sizes) {
    if (size < 0) throw context.Bad("a part has a negative size");
    total = Plus(context, total, size);
    types.push_back(
        KnownType(context.type(0).kind, WithSize(shape, axis, size)));
  }
  if (total != shape[axis] || types.size() != context.outputs()) {
    throw context.Bad("the sizes of its parts do not add up to axis " +
                      std::to_string(axis) + " of " + ShapeText(shape));
  }
  return types;
}

std::vector<Array> EvaluateSplit(const OpContext& context,
                                 std::span<const ValueType> types) {
  const int64_t axis = AxisOf(context);
  const AxisView view = ViewAxis(context.shape(0), axis);
  const std::vector<double>& from = context.array(0)->values();
  std::vector<Array> results;
  int64_t begin = 0;
  for (const ValueType& type : types) {
    const int64_t block = type.shape[axis] * view.inner;
    std::vector<double> values;
    values.reserve(Count(type.shape));
    for (int64_t outer = 0; block > 0 && outer < view.outer; ++outer) {
      const auto at = from.begin() + outer * view.size * view.inner + begin;
      values.insert(values.end(), at, at + block);
    }
    begin += block;
    results.push_back(MakeArray(type.kind, type.shape, std::move(values)));
  }
  return results;
}

// The indices start, start + step, ... before `end`. Both may be negative
// (counted from the end) or beyond the array, as files give them.
Cut MakeCut(const OpContext& context, int64_t size, int64_t start, int64_t end,
            int64_t step) {
  if (step == 0) throw context.Bad("a step is 0");
  const bool back = step < 0;
  const auto place = [&](int64_t index) {
    if (index < 0) index += size;
    return back ? std::clamp(index, int64_t{-1}, size - 1)
                : std::clamp(index, int64_t{0}, size);
  };
  start = place(start);
  end = place(end);
  const int64_t span = back ? start - end : end - start;
  // Clamps the step to one more than the size, so that large steps, and the
  // smallest integer, cannot overflow.
  const int64_t length =
      std::min(size + 1, back ? -std::max(step, -size - 1) : step);
  const int64_t count = span <= 0 ? 0 : (span - 1) / length + 1;
  return {start, back ? -length : length, count};
}

}  // namespace

std::optional<std::vector<Cut>> Cuts(const OpContext& context) {
  const Shape& shape = context.shape(0);
  std::vector<Cut> cuts;
  for (int64_t size : shape) cuts.push_back({.count = size});
  context.type(1);
  context.type(2);
  for (size_t i = 1; i < context.inputs(); ++i) {
    if (context.Has(i) && context.array(i) == nullptr) return std::nullopt;
  }
  const auto starts = *context.Ints(1);
  const auto ends = *context.Ints(2);
  std::vector<int64_t> axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = NormalAxes(context, context.Ints(3).value_or(axes), context.rank(0));
  const auto steps =
      context.Ints(4).value_or(std::vector<int64_t>(starts.size(), 1));
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    throw context.Bad("starts, ends, axes and steps differ in number");
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    cuts[axes[i]] =
        MakeCut(context, shape[axes[i]], starts[i], ends[i], steps[i]);
  }
  return cuts;
}

namespace {

std::vector<ValueType> InferSlice(const OpContext& context) {
  const auto cuts = Cuts(context);
  if (!cuts) return {ValueType{}};
  Shape shape;
  for (const Cut& cut : *cuts) shape.push_back(cut.count);
  return {KnownType(context.type(0).kind, std::move(shape))};
}

std::vector<Array> EvaluateSlice(const OpContext& context,
                                 std::span<const ValueType> types) {
  const std::vector<Cut> cuts = *Cuts(context);
  std::vector<int64_t> strides = Strides(context.shape(0));
  int64_t start = 0;
  for (size_t axis = 0; axis < cuts.size(); ++axis) {
    start += cuts[axis].start * strides[axis];
    strides[axis] *= cuts[axis].step;
  }
  const auto offsets = StridedOffsets(types[0].shape, strides, start);
  return SingleOutput(types[0], Pick(context.array(0)->values(), offsets));
}

constexpr AttributeDefault kSplitDefaults[] = {{"axis", 0}};

constexpr Facts kMoves = With(kUsual, DegreeLaw::kMoved, SizeMarks::kMoved);

constexpr Operator kOperators[] = {
    // A weight that is concatenated is usually a token.
    {"Concat", kAnyNumber, InferConcat, EvaluateConcat,
     With(kMoves, kOnlyData, WeightInit::kTable,
          Kept{.weights = true, .indices = true})},
    {"Split", 2, InferSplit, EvaluateSplit,
     With(kMoves, kDataAndSettings, WrittenSizes::kSplitSizes,
          Kept{.weights = true, .indices = true, .positions = true},
          kSplitDefaults)},
    {"Slice", 5, InferSlice, EvaluateSlice,
     With(kMoves, kDataAndSettings, WrittenSizes::kSliceBorders,
          Kept{.weights = true,
               .indices = true,
               .positions = true,
               .chosen_units = true})},
};

}  // namespace

std::span<const Operator> SliceOperators() { return kOperators; }

}  // namespace rebasin
