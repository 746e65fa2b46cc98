// Functions of one number, applied to each element.

#include <cmath>
#include <numbers>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"

namespace rebasin {
namespace {

template <double (*kFunction)(double)>
std::vector<Array> EvaluateEach(const OpContext& context,
                                std::span<const ValueType> types) {
  std::vector<double> values = context.array(0)->values();
  for (double& value : values) value = kFunction(value);
  return One(types[0], std::move(values));
}

std::vector<ValueType> InferBoolean(const OpContext& context) {
  return {KnownType(Kind::kBoolean, context.shape(0))};
}

double Relu(double x) { return Most(x, 0); }
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
// Halves go to the even neighbour, the default rounding of IEEE arithmetic.
double Round(double x) { return std::nearbyint(x); }
double Not(double x) { return x == 0; }
double IsNan(double x) { return std::isnan(x); }

template <double (*kFunction)(double)>
constexpr Operator Each(std::string_view name) {
  return {name, 1, InferSame, EvaluateEach<kFunction>};
}

template <double (*kFunction)(double)>
constexpr Operator Ask(std::string_view name) {
  return {name, 1, InferBoolean, EvaluateEach<kFunction>};
}

constexpr Operator kOperators[] = {
    Each<Relu>("Relu"),           Each<Sigmoid>("Sigmoid"),
    Each<HardSwish>("HardSwish"), Each<std::tanh>("Tanh"),
    Each<Softplus>("Softplus"),   Each<Softsign>("Softsign"),
    Each<Mish>("Mish"),           Each<std::erf>("Erf"),
    Each<std::exp>("Exp"),        Each<std::log>("Log"),
    Each<std::sqrt>("Sqrt"),      Each<Reciprocal>("Reciprocal"),
    Each<std::fabs>("Abs"),       Each<Negative>("Neg"),
    Each<Sign>("Sign"),           Each<std::floor>("Floor"),
    Each<std::ceil>("Ceil"),      Each<Round>("Round"),
    Each<std::sin>("Sin"),        Each<std::cos>("Cos"),
    Each<std::tan>("Tan"),        Each<std::asin>("Asin"),
    Each<std::acos>("Acos"),      Each<std::atan>("Atan"),
    Each<std::sinh>("Sinh"),      Each<std::cosh>("Cosh"),
    Each<std::asinh>("Asinh"),    Each<std::acosh>("Acosh"),
    Each<std::atanh>("Atanh"),    Ask<Not>("Not"),
    Ask<IsNan>("IsNaN"),
};

}  // namespace

std::span<const Operator> UnaryOperators() { return kOperators; }

}  // namespace rebasin
