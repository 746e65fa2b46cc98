// Operators that return a shape, or change it while the elements keep their
// order.

#include <algorithm>
#include <numeric>

#include "graph/ops/broadcast.h"
#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

// The range [begin, end) of the input's shape that Shape returns.
Shape AskedShape(const OpContext& context) {
  const Shape& shape = context.shape(0);
  const int64_t rank = context.rank(0);
  const auto place = [&](int64_t axis) {
    const int64_t from_front = axis < 0 ? axis + rank : axis;
    return std::clamp(from_front, int64_t{0}, rank);
  };
  const int64_t begin = place(context.Int("start", 0));
  const int64_t end = place(context.Int("end", rank));
  if (end <= begin) return {};
  return Shape(shape.begin() + begin, shape.begin() + end);
}

std::vector<ValueType> InferShape(const OpContext& context) {
  const int64_t size = static_cast<int64_t>(AskedShape(context).size());
  return {KnownType(Kind::kInteger, {size})};
}

std::vector<Array> EvaluateShape(const OpContext& context,
                                 std::span<const ValueType> types) {
  const Shape shape = AskedShape(context);
  return SingleOutput(types[0],
                      std::vector<double>(shape.begin(), shape.end()));
}

std::vector<ValueType> InferSize(const OpContext& context) {
  context.type(0);
  return {KnownType(Kind::kInteger, {})};
}

std::vector<Array> EvaluateSize(const OpContext& context,
                                std::span<const ValueType> types) {
  return SingleOutput(types[0], {static_cast<double>(Count(context.shape(0)))});
}

// A size of 0 is copied from the input (unless `allowzero`). One size of -1 is
// computed from the number of elements.
Shape ReshapeTo(const OpContext& context, Shape target) {
  const Shape& from = context.shape(0);
  const bool copy_zeros = context.Int("allowzero", 0) == 0;
  int64_t rest = -1;
  for (size_t axis = 0; axis < target.size(); ++axis) {
    int64_t& size = target[axis];
    if (size == 0 && copy_zeros) {
      if (axis >= from.size()) {
        throw context.Bad(
            "it copies the size of an axis that its input does not have");
      }
      size = from[axis];
    }
    if (size < -1) throw context.Bad("a size is less than -1");
    if (size != -1) continue;
    if (rest >= 0) throw context.Bad("more than one size is -1");
    rest = static_cast<int64_t>(axis);
    size = 1;
  }
  const int64_t have = Product(context, from);
  const int64_t given = Product(context, target);
  if (rest >= 0 && given > 0) target[rest] = have / given;
  if (Product(context, target) != have) {
    throw context.Bad("cannot reshape " + ShapeText(from) + " to " +
                      ShapeText(target));
  }
  return target;
}

std::vector<ValueType> InferReshape(const OpContext& context) {
  context.type(1);
  auto target = context.Ints(1);
  if (!target) return {ValueType{}};
  return {
      KnownType(context.type(0).kind, ReshapeTo(context, std::move(*target)))};
}

std::vector<ValueType> InferFlatten(const OpContext& context) {
  const int64_t rank = context.rank(0);
  int64_t axis = context.Int("axis", 1);
  if (axis < -rank || axis > rank)
    throw context.Bad("its axis is out of range");
  if (axis < 0) axis += rank;
  const std::span<const int64_t> sizes(context.shape(0));
  return {
      KnownType(context.type(0).kind, {Product(context, sizes.first(axis)),
                                       Product(context, sizes.subspan(axis))})};
}

Shape WithoutAxes(const Shape& shape, const std::vector<int64_t>& axes) {
  Shape result;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (std::count(axes.begin(), axes.end(), axis) == 0) {
      result.push_back(shape[axis]);
    }
  }
  return result;
}

std::vector<ValueType> InferSqueeze(const OpContext& context) {
  const Shape& shape = context.shape(0);
  std::vector<int64_t> axes;
  if (context.Has(1)) {
    const auto asked = context.Ints(1);
    if (!asked) return {ValueType{}};
    axes = NormalAxes(context, *asked, context.rank(0));
  } else {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == 1) axes.push_back(static_cast<int64_t>(axis));
    }
  }
  for (int64_t axis : axes) {
    if (shape[axis] != 1) {
      throw context.Bad("axis " + std::to_string(axis) + " of " +
                        ShapeText(shape) + " does not have size 1");
    }
  }
  return {KnownType(context.type(0).kind, WithoutAxes(shape, axes))};
}

std::vector<ValueType> InferUnsqueeze(const OpContext& context) {
  context.type(1);
  const auto asked = context.Ints(1);
  if (!asked) return {ValueType{}};
  const int64_t rank = context.rank(0) + static_cast<int64_t>(asked->size());
  auto axes = NormalAxes(context, *asked, rank);
  std::sort(axes.begin(), axes.end());
  Shape shape = context.shape(0);
  for (int64_t axis : axes) shape.insert(shape.begin() + axis, 1);
  return {KnownType(context.type(0).kind, std::move(shape))};
}

// The elements of the input in the new shape.
std::vector<Array> EvaluateReshaped(const OpContext& context,
                                    std::span<const ValueType> types) {
  return {{types[0].kind, types[0].shape, context.array(0)->elements}};
}

std::vector<ValueType> InferExpand(const OpContext& context) {
  context.type(1);
  const auto target = context.Ints(1);
  if (!target) return {ValueType{}};
  return {KnownType(context.type(0).kind,
                    BroadcastShapes(context, context.shape(0), *target))};
}

std::vector<Array> EvaluateExpand(const OpContext& context,
                                  std::span<const ValueType> types) {
  return SingleOutput(types[0],
                      BroadcastValues(*context.array(0), types[0].shape));
}

// Reading the size of an axis does not tie the axis to anything.
constexpr Facts kAsks =
    With(kComputes, OperatorClass::kShapeOnly, kOnlyData, SymmetryLaw::kNone,
         DegreeLaw::kNone, LoweredBy::kReference);

// If the input is a weight, it usually enters a matrix product that sums over
// its last axis. Nothing better is known here.
constexpr OperatorInput kReshaped[] = {
    {.role = InputRole::kData, .first_summed = -1, .last_summed = -1},
    {.role = InputRole::kShape}};
constexpr OperatorInput kExpanded[] = {kData, {.role = InputRole::kShape}};

constexpr Facts kMoves = With(kUsual, kDataAndSettings, SizeMarks::kMoved,
                              Kept{.weights = true,
                                   .indices = true,
                                   .positions = true,
                                   .chosen_units = true});
constexpr Facts kRegroups =
    With(kMoves, DegreeLaw::kReshaped, View::kRegrouped);

constexpr AttributeDefault kShapeDefaults[] = {{"start", 0}};
constexpr AttributeDefault kFlattenDefaults[] = {{"axis", 1}};

constexpr Operator kOperators[] = {
    {"Shape", 1, InferShape, EvaluateShape,
     With(kAsks, SizeMarks::kAxes, kShapeDefaults)},
    {"Size", 1, InferSize, EvaluateSize, kAsks},
    {"Reshape", 2, InferReshape, EvaluateReshaped,
     With(kRegroups, kReshaped, WrittenSizes::kOutputShape, ZeroLaw::kAsInput)},
    {"Flatten", 1, InferFlatten, EvaluateReshaped,
     With(kRegroups, kFlattenDefaults)},
    {"Squeeze", 2, InferSqueeze, EvaluateReshaped,
     With(kRegroups, ZeroLaw::kAsInput)},
    {"Unsqueeze", 2, InferUnsqueeze, EvaluateReshaped,
     With(kRegroups, ZeroLaw::kAsInput)},
    {"Expand", 2, InferExpand, EvaluateExpand,
     With(kMoves, kExpanded, DegreeLaw::kMoved, WrittenSizes::kOutputShape)},
};

}  // namespace

std::span<const Operator> ShapeOperators() { return kOperators; }

}  // namespace rebasin
