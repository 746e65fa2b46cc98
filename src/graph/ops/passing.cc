// Operators that return their input unchanged, converted, or in part.

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

std::vector<Array> EvaluateIdentity(const OpContext& context,
                                    std::span<const ValueType>) {
  return {*context.array(0)};
}

std::vector<ValueType> InferDropout(const OpContext& context) {
  return {context.type(0), KnownType(Kind::kBoolean, context.shape(0))};
}

// The mask marks every element as kept.
std::vector<Array> EvaluateDropout(const OpContext& context,
                                   std::span<const ValueType> types) {
  std::vector<Array> results = {*context.array(0)};
  if (context.outputs() < 2) return results;
  std::vector<double> mask(context.array(0)->size(), 1.0);
  results.push_back(MakeArray(types[1].kind, types[1].shape, std::move(mask)));
  return results;
}

std::vector<ValueType> InferCast(const OpContext& context) {
  const Kind kind = KindOfDataType(context, context.Int("to", 1));
  return {KnownType(kind, context.shape(0))};
}

std::vector<ValueType> InferCastLike(const OpContext& context) {
  return {KnownType(context.type(1).kind, context.shape(0))};
}

// Beyond its limits, an integer type begins again at the other end.
double Wrapped(double value, const IntegerRange& range) {
  const double turns = std::floor((value - range.lowest) / range.count);
  return value - turns * range.count;
}

std::vector<Array> EvaluateCast(const OpContext& context,
                                std::span<const ValueType> types) {
  const auto range = NarrowIntegers(context.Int("to", 1));
  std::vector<double> values = context.array(0)->values();
  for (double& value : values) {
    if (types[0].kind == Kind::kInteger) value = std::trunc(value);
    if (types[0].kind == Kind::kBoolean) value = value != 0;
    if (range) value = Wrapped(value, *range);
  }
  return SingleOutput(types[0], std::move(values));
}

// The first element of an optional input.
double ScalarOr(const OpContext& context, size_t input, double otherwise) {
  const Array* array = context.array(input);
  return array && array->size() > 0 ? array->values()[0] : otherwise;
}

std::vector<Array> EvaluateClip(const OpContext& context,
                                std::span<const ValueType> types) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double low = ScalarOr(context, 1, -kInfinity);
  const double high = ScalarOr(context, 2, kInfinity);
  std::vector<double> values = context.array(0)->values();
  for (double& value : values) value = std::min(std::max(value, low), high);
  return SingleOutput(types[0], std::move(values));
}

std::vector<ValueType> InferTrilu(const OpContext& context) {
  if (context.rank(0) < 2) throw context.Bad("its input is not a matrix");
  return {context.type(0)};
}

// Keeps the elements on one side of the k-th diagonal; the others are zero.
std::vector<Array> EvaluateTrilu(const OpContext& context,
                                 std::span<const ValueType> types) {
  const Shape& shape = context.shape(0);
  const int64_t rows = shape[shape.size() - 2];
  const int64_t columns = shape[shape.size() - 1];
  const bool upper = context.Int("upper", 1) != 0;
  const double k = ScalarOr(context, 1, 0);
  std::vector<double> values = context.array(0)->values();
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t column = static_cast<int64_t>(i) % columns;
    const int64_t row = static_cast<int64_t>(i) / columns % rows;
    const double diagonal = static_cast<double>(column - row);
    if (upper ? diagonal < k : diagonal > k) values[i] = 0;
  }
  return SingleOutput(types[0], std::move(values));
}

constexpr AttributeDefault kTrilu[] = {{"upper", 1}};

constexpr Facts kMoves = With(kUsual, kDataAndSettings, SizeMarks::kMoved);

constexpr Operator kOperators[] = {
    {"Identity", 1, InferSame, EvaluateIdentity,
     With(kMoves, DegreeLaw::kLinear, View::kWhole, ZeroLaw::kAsInput,
          DistinctLaw::kAsInput,
          Kept{.output_is_input = true,
               .weights = true,
               .indices = true,
               .positions = true,
               .chosen_units = true})},
    {"Dropout", 3, InferDropout, EvaluateDropout,
     With(kUsual, kDataAndSettings, DegreeLaw::kLinear,
          Kept{.output_is_input = true})},
    {"Cast", 1, InferCast, EvaluateCast,
     With(kMoves, DegreeLaw::kConversion, View::kConverted, ZeroLaw::kAsInput,
          Kept{.weights = true,
               .indices = true,
               .positions = true,
               .chosen_units = true})},
    {"CastLike", 2, InferCastLike, EvaluateCast,
     With(kMoves, DegreeLaw::kNone, View::kConvertedLike,
          Kept{.weights = true, .indices = true})},
    {"Clip", 3, InferSame, EvaluateClip,
     With(kUsual, kDataAndSettings, DegreeLaw::kNone)},
    {"Trilu", 2, InferTrilu, EvaluateTrilu,
     With(kUsual, kDataAndSettings, DegreeLaw::kLinear, kTrilu)},
};

}  // namespace

std::span<const Operator> PassingOperators() { return kOperators; }

}  // namespace rebasin
