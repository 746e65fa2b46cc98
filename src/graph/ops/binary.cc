// Functions of two numbers, with both inputs stretched to one shape.

#include <cmath>

#include "graph/ops/broadcast.h"
#include "graph/ops/common.h"
#include "graph/ops/ops.h"

namespace rebasin {
namespace {

std::vector<ValueType> InferArithmetic(const OpContext& context) {
  Shape shape = BroadcastShapes(context, context.shape(0), context.shape(1));
  return {KnownType(context.type(0).kind, std::move(shape))};
}

std::vector<ValueType> InferComparison(const OpContext& context) {
  std::vector<ValueType> types = InferArithmetic(context);
  types[0].kind = Kind::kBoolean;
  return types;
}

template <typename Function>
std::vector<Array> EvaluatePairs(const OpContext& context,
                                 const ValueType& type, Function function) {
  std::vector<double> a = BroadcastValues(*context.array(0), type.shape);
  const Array& right = *context.array(1);
  if (right.size() == 1) {
    for (double& value : a) value = function(value, right.values()[0]);
    return One(type, std::move(a));
  }
  const std::vector<double> b = BroadcastValues(right, type.shape);
  for (size_t i = 0; i < a.size(); ++i) a[i] = function(a[i], b[i]);
  return One(type, std::move(a));
}

template <double (*kFunction)(double, double)>
std::vector<Array> EvaluateEach(const OpContext& context,
                                std::span<const ValueType> types) {
  return EvaluatePairs(context, types[0], kFunction);
}

double Add(double x, double y) { return x + y; }
double Subtract(double x, double y) { return x - y; }
double Multiply(double x, double y) { return x * y; }
double Power(double x, double y) { return std::pow(x, y); }
double Equal(double x, double y) { return x == y; }
double Less(double x, double y) { return x < y; }
double LessOrEqual(double x, double y) { return x <= y; }
double Greater(double x, double y) { return x > y; }
double GreaterOrEqual(double x, double y) { return x >= y; }
double And(double x, double y) { return x != 0 && y != 0; }
double Or(double x, double y) { return x != 0 || y != 0; }
double Xor(double x, double y) { return (x != 0) != (y != 0); }
double PRelu(double x, double slope) { return x < 0 ? slope * x : x; }

std::vector<Array> EvaluateDiv(const OpContext& context,
                               std::span<const ValueType> types) {
  const bool whole = types[0].kind != Kind::kFloat;
  return EvaluatePairs(context, types[0], [whole](double x, double y) {
    return whole ? std::trunc(x / y) : x / y;
  });
}

// The result has the divisor's sign, or with `fmod` the dividend's.
std::vector<Array> EvaluateMod(const OpContext& context,
                               std::span<const ValueType> types) {
  const bool fmod = context.Int("fmod", 0) != 0;
  return EvaluatePairs(context, types[0], [fmod](double x, double y) {
    const double rest = std::fmod(x, y);
    const bool other_side = rest != 0 && (rest < 0) != (y < 0);
    return !fmod && other_side ? rest + y : rest;
  });
}

// As a product or quotient with a power of two. Bits that would leave the
// element's type are kept: its width is of no interest to a graph.
std::vector<Array> EvaluateBitShift(const OpContext& context,
                                    std::span<const ValueType> types) {
  const bool left = context.String("direction", "") == "LEFT";
  return EvaluatePairs(context, types[0], [left](double x, double y) {
    return std::floor(x * std::exp2(left ? y : -y));
  });
}

// The slope is stretched to the input, never the other way round.
std::vector<ValueType> InferPRelu(const OpContext& context) {
  std::vector<ValueType> types = InferArithmetic(context);
  if (types[0].shape != context.shape(0)) {
    throw context.Bad("slope " + ShapeText(context.shape(1)) +
                      " does not fit " + ShapeText(context.shape(0)));
  }
  return types;
}

template <double (*kFunction)(double, double)>
constexpr Operator Arithmetic(std::string_view name) {
  return {name, 2, InferArithmetic, EvaluateEach<kFunction>};
}

template <double (*kFunction)(double, double)>
constexpr Operator Comparison(std::string_view name) {
  return {name, 2, InferComparison, EvaluateEach<kFunction>};
}

constexpr Operator kOperators[] = {
    Arithmetic<Add>("Add"),
    Arithmetic<Subtract>("Sub"),
    Arithmetic<Multiply>("Mul"),
    {"Div", 2, InferArithmetic, EvaluateDiv},
    Arithmetic<Power>("Pow"),
    {"Mod", 2, InferArithmetic, EvaluateMod},
    Comparison<Equal>("Equal"),
    Comparison<Less>("Less"),
    Comparison<LessOrEqual>("LessOrEqual"),
    Comparison<Greater>("Greater"),
    Comparison<GreaterOrEqual>("GreaterOrEqual"),
    Comparison<And>("And"),
    Comparison<Or>("Or"),
    Comparison<Xor>("Xor"),
    {"PRelu", 2, InferPRelu, EvaluateEach<PRelu>},
    {"BitShift", 2, InferArithmetic, EvaluateBitShift},
};

}  // namespace

std::span<const Operator> BinaryOperators() { return kOperators; }

}  // namespace rebasin
