// Element-wise functions of any number of inputs, which are broadcast to one
// shape.

#include <cmath>

#include "graph/ops/broadcast.h"
#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

std::vector<ValueType> InferVariadic(const OpContext& context) {
  return {KnownType(context.type(0).kind, BroadcastInputs(context))};
}

template <double (*kFunction)(double, double)>
std::vector<double> Fold(const OpContext& context, const Shape& shape) {
  std::vector<double> result = BroadcastValues(*context.array(0), shape);
  for (size_t input = 1; input < context.inputs(); ++input) {
    const auto values = BroadcastValues(*context.array(input), shape);
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = kFunction(result[i], values[i]);
    }
  }
  return result;
}

template <double (*kFunction)(double, double)>
std::vector<Array> EvaluateFold(const OpContext& context,
                                std::span<const ValueType> types) {
  return SingleOutput(types[0], Fold<kFunction>(context, types[0].shape));
}

double Add(double x, double y) { return x + y; }

std::vector<Array> EvaluateMean(const OpContext& context,
                                std::span<const ValueType> types) {
  std::vector<double> values = Fold<Add>(context, types[0].shape);
  const double count = static_cast<double>(context.inputs());
  for (double& value : values) value /= count;
  return SingleOutput(types[0], std::move(values));
}

std::vector<ValueType> InferWhere(const OpContext& context) {
  context.type(2);
  return {KnownType(context.type(1).kind, BroadcastInputs(context))};
}

std::vector<Array> EvaluateWhere(const OpContext& context,
                                 std::span<const ValueType> types) {
  const Shape& shape = types[0].shape;
  const auto condition = BroadcastValues(*context.array(0), shape);
  const auto otherwise = BroadcastValues(*context.array(2), shape);
  std::vector<double> result = BroadcastValues(*context.array(1), shape);
  for (size_t i = 0; i < result.size(); ++i) {
    if (condition[i] == 0) result[i] = otherwise[i];
  }
  return SingleOutput(types[0], std::move(result));
}

constexpr Facts kFolds = With(kUsual, kOnlyData, Commutes::kYes);

constexpr Operator kOperators[] = {
    {"Sum", kAnyNumber, InferVariadic, EvaluateFold<Add>,
     With(kFolds, DegreeLaw::kLinear, SizeMarks::kEach)},
    {"Min", kAnyNumber, InferVariadic, EvaluateFold<MinOrNan>,
     With(kFolds, DegreeLaw::kHomogeneous, SizeMarks::kEach)},
    {"Max", kAnyNumber, InferVariadic, EvaluateFold<MaxOrNan>,
     With(kFolds, DegreeLaw::kHomogeneous, SizeMarks::kEach)},
    {"Mean", kAnyNumber, InferVariadic, EvaluateMean,
     With(kFolds, DegreeLaw::kLinear)},
    {"Where", 3, InferWhere, EvaluateWhere,
     With(kUsual, kOnlyData, DegreeLaw::kChoice, SizeMarks::kEach)},
};

}  // namespace

std::span<const Operator> VariadicOperators() { return kOperators; }

}  // namespace rebasin
