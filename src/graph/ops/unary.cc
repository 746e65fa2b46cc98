// Element-wise functions of one input.

#include <cmath>
#include <numbers>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

template <double (*kFunction)(double)>
std::vector<Array> EvaluateEach(const OpContext& context,
                                std::span<const ValueType> types) {
  std::vector<double> values = context.array(0)->values();
  for (double& value : values) value = kFunction(value);
  return SingleOutput(types[0], std::move(values));
}

std::vector<ValueType> InferBoolean(const OpContext& context) {
  return {KnownType(Kind::kBoolean, context.shape(0))};
}

double Relu(double x) { return MaxOrNan(x, 0); }
double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double HardSwish(double x) {
  const double slope = x / 6 + 0.5;
  return x * (slope < 0 ? 0 : slope > 1 ? 1 : slope);
}
// log(1 + e^x), without overflow.
double Softplus(double x) {
  return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x)));
}
double Softsign(double x) { return x / (1 + std::fabs(x)); }
double Mish(double x) { return x * std::tanh(Softplus(x)); }
double Reciprocal(double x) { return 1 / x; }
double Negative(double x) { return -x; }
double Sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
// Halves are rounded to the even neighbour, as IEEE arithmetic does by default.
double Round(double x) { return std::nearbyint(x); }
double Not(double x) { return x == 0; }
double IsNan(double x) { return std::isnan(x); }

template <double (*kFunction)(double), typename... Fact>
constexpr Operator Each(std::string_view name, const Fact&... facts) {
  return {name, 1, InferSame, EvaluateEach<kFunction>,
          With(kUsual, kOnlyData, facts...)};
}

template <double (*kFunction)(double), typename... Fact>
constexpr Operator Ask(std::string_view name, const Fact&... facts) {
  return {
      name, 1, InferBoolean, EvaluateEach<kFunction>,
      With(kUsual, kOnlyData, DegreeLaw::kNone, kWithoutGradient, facts...)};
}

constexpr auto kNone = DegreeLaw::kNone;
constexpr auto kOdd = DegreeLaw::kOdd;
constexpr auto kEven = DegreeLaw::kEven;
constexpr auto kSizes = SizeMarks::kEach;
constexpr auto kNonzero = ZeroLaw::kAsInput;
constexpr auto kMonotonic = DistinctLaw::kAsInput;

constexpr Operator kOperators[] = {
    Each<Relu>("Relu", DegreeLaw::kHomogeneous),
    Each<Sigmoid>("Sigmoid", kNone, kNonzero, kMonotonic),
    Each<HardSwish>("HardSwish", kNone),
    Each<std::tanh>("Tanh", kOdd, kNonzero, kMonotonic),
    Each<Softplus>("Softplus", kNone),
    Each<Softsign>("Softsign", kOdd),
    Each<Mish>("Mish", kNone),
    Each<std::erf>("Erf", kOdd, kNonzero),
    Each<std::exp>("Exp", kNone),
    Each<std::log>("Log", kNone),
    Each<std::sqrt>("Sqrt", kNone, kSizes, kNonzero),
    Each<Reciprocal>("Reciprocal", kNone, kSizes, kNonzero),
    Each<std::fabs>("Abs", DegreeLaw::kAbsolute, kSizes),
    Each<Negative>("Neg", DegreeLaw::kLinear, kSizes),
    Each<Sign>("Sign", kNone),
    Each<std::floor>("Floor", kNone, kSizes),
    Each<std::ceil>("Ceil", kNone, kSizes),
    Each<Round>("Round", kNone, kSizes),
    Each<std::sin>("Sin", kOdd),
    Each<std::cos>("Cos", kEven),
    Each<std::tan>("Tan", kOdd),
    Each<std::asin>("Asin", kOdd),
    Each<std::acos>("Acos", kNone),
    Each<std::atan>("Atan", kOdd),
    Each<std::sinh>("Sinh", kOdd),
    Each<std::cosh>("Cosh", kEven),
    Each<std::asinh>("Asinh", kOdd),
    Each<std::acosh>("Acosh", kNone),
    Each<std::atanh>("Atanh", kOdd),
    Ask<Not>("Not", kSizes),
    Ask<IsNan>("IsNaN"),
};

}  // namespace

std::span<const Operator> UnaryOperators() { return kOperators; }

}  // namespace rebasin
