// Operators that create arrays from a number, a shape or a few indices.

#include <cmath>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

// The array in an attribute; null if the attribute is omitted.
const Array* ArrayAttribute(const OpContext& context, std::string_view name) {
  const auto& attributes = context.node().attributes;
  const auto found = attributes.find(name);
  if (found == attributes.end()) return nullptr;
  const Array* array = std::get_if<Array>(&found->second);
  if (array == nullptr || !array->elements) {
    throw context.Bad("attribute " + std::string(name) + " is not an array");
  }
  return array;
}

std::vector<ValueType> InferConstant(const OpContext& context) {
  const Array* value = ArrayAttribute(context, "value");
  if (value == nullptr) throw context.Bad("it has no attribute \"value\"");
  return {KnownType(value->kind, value->shape)};
}

std::vector<Array> EvaluateConstant(const OpContext& context,
                                    std::span<const ValueType>) {
  return {*ArrayAttribute(context, "value")};
}

std::vector<ValueType> InferConstantOfShape(const OpContext& context) {
  const Array* value = ArrayAttribute(context, "value");
  if (value != nullptr && value->size() != 1) {
    throw context.Bad("its value is not a single number");
  }
  context.type(0);
  const auto shape = context.Ints(0);
  if (!shape) return {ValueType{}};
  return {KnownType(value ? value->kind : Kind::kFloat, *shape)};
}

std::vector<Array> EvaluateConstantOfShape(const OpContext& context,
                                           std::span<const ValueType> types) {
  const Array* value = ArrayAttribute(context, "value");
  return SingleOutput(types[0],
                      std::vector<double>(Count(types[0].shape),
                                          value ? value->values()[0] : 0.0));
}

// The only element of an input; nothing if the value is unknown.
std::optional<double> Scalar(const OpContext& context, size_t input) {
  context.type(input);
  const Array* array = context.array(input);
  if (array == nullptr) return std::nullopt;
  if (array->size() != 1) throw context.Bad("an input is not a single number");
  return array->values()[0];
}

std::vector<ValueType> InferRange(const OpContext& context) {
  const auto start = Scalar(context, 0);
  const auto limit = Scalar(context, 1);
  const auto delta = Scalar(context, 2);
  if (!start || !limit || !delta) return {ValueType{}};
  constexpr double kMost = 0x1p50;
  const double count = std::ceil((*limit - *start) / *delta);
  if (!(count < kMost)) throw context.Bad("its range is too long or infinite");
  const int64_t size = count > 0 ? static_cast<int64_t>(count) : 0;
  return {KnownType(context.type(0).kind, {size})};
}

std::vector<Array> EvaluateRange(const OpContext& context,
                                 std::span<const ValueType> types) {
  const double start = *Scalar(context, 0);
  const double delta = *Scalar(context, 2);
  std::vector<double> values(types[0].shape[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = start + static_cast<double>(i) * delta;
  }
  return SingleOutput(types[0], std::move(values));
}

std::vector<ValueType> InferEyeLike(const OpContext& context) {
  if (context.rank(0) != 2) throw context.Bad("its input is not a matrix");
  const Kind kind = context.HasAttribute("dtype")
                        ? KindOfDataType(context, context.Int("dtype", 1))
                        : context.type(0).kind;
  return {KnownType(kind, context.shape(0))};
}

std::vector<Array> EvaluateEyeLike(const OpContext& context,
                                   std::span<const ValueType> types) {
  const int64_t columns = types[0].shape[1];
  const int64_t k = context.Int("k", 0);
  std::vector<double> values(Count(types[0].shape), 0.0);
  for (int64_t row = 0; row < types[0].shape[0]; ++row) {
    // Compares without adding, which could overflow, since k may be any number.
    if (k >= -row && k < columns - row) values[row * columns + row + k] = 1;
  }
  return SingleOutput(types[0], std::move(values));
}

// Inputs: indices, depth, {off, on}.
std::vector<ValueType> InferOneHot(const OpContext& context) {
  context.type(1);
  const auto depth = context.Ints(1);
  if (!depth) return {ValueType{}};
  if (depth->size() != 1) throw context.Bad("its depth is not a single number");
  if (Count(context.shape(2)) != 2) {
    throw context.Bad("its third input must have two values");
  }
  const int64_t axis =
      context.NormalAxis(context.Int("axis", -1), context.rank(0) + 1);
  Shape shape = context.shape(0);
  shape.insert(shape.begin() + axis, (*depth)[0]);
  return {KnownType(context.type(2).kind, std::move(shape))};
}

std::vector<Array> EvaluateOneHot(const OpContext& context,
                                  std::span<const ValueType> types) {
  const int64_t rank = context.rank(0) + 1;
  const auto view = ViewAxis(types[0].shape,
                             context.NormalAxis(context.Int("axis", -1), rank));
  const auto indices = *context.Ints(0);
  const std::vector<double>& off_on = context.array(2)->values();
  std::vector<double> values(Count(types[0].shape), off_on[0]);
  for (int64_t i = 0; i < view.outer * view.inner; ++i) {
    const int64_t index = indices[i] < 0 ? indices[i] + view.size : indices[i];
    if (index < 0 || index >= view.size) continue;
    const int64_t block = i / view.inner * view.size + index;
    values[block * view.inner + i % view.inner] = off_on[1];
  }
  return SingleOutput(types[0], std::move(values));
}

// The offsets of all elements that are not 0.
std::vector<int64_t> NonZeroOffsets(const Array& array) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < array.size(); ++i) {
    if (array.values()[i] != 0) offsets.push_back(i);
  }
  return offsets;
}

std::vector<ValueType> InferNonZero(const OpContext& context) {
  const int64_t rank = context.rank(0);
  const Array* array = context.array(0);
  if (array == nullptr) return {ValueType{}};
  const int64_t count = static_cast<int64_t>(NonZeroOffsets(*array).size());
  return {KnownType(Kind::kInteger, {rank, count})};
}

std::vector<Array> EvaluateNonZero(const OpContext& context,
                                   std::span<const ValueType> types) {
  const Array& array = *context.array(0);
  const auto strides = Strides(array.shape);
  const auto offsets = NonZeroOffsets(array);
  std::vector<double> values;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    for (int64_t offset : offsets) {
      values.push_back(
          static_cast<double>(offset / strides[axis] % array.shape[axis]));
    }
  }
  return SingleOutput(types[0], std::move(values));
}

constexpr OperatorInput kSettings[] = {kSetting};
constexpr OperatorInput kShapes[] = {{.role = InputRole::kShape}};

constexpr AttributeDefault kOneHotDefaults[] = {{"axis", -1}};

// Their values are usually known before the network runs.
constexpr Facts kMakes = With(kComputes, SymmetryLaw::kNone, DegreeLaw::kNone,
                              LoweredBy::kReference);

constexpr Operator kOperators[] = {
    {"Constant", 0, InferConstant, EvaluateConstant, kMakes},
    {"ConstantOfShape", 1, InferConstantOfShape, EvaluateConstantOfShape,
     With(kMakes, kShapes)},
    {"Range", 3, InferRange, EvaluateRange, With(kMakes, kSettings)},
    {"EyeLike", 1, InferEyeLike, EvaluateEyeLike,
     With(kMakes, kOnlyData, kWithoutGradient)},
    {"OneHot", 3, InferOneHot, EvaluateOneHot,
     With(kUsual, kDataAndSettings, DegreeLaw::kNone, kOneHotDefaults)},
    // The shape of its output depends on data.
    {"NonZero", 1, InferNonZero, EvaluateNonZero, With(kMakes, kOnlyData)},
};

}  // namespace

std::span<const Operator> CreateOperators() { return kOperators; }

}  // namespace rebasin
