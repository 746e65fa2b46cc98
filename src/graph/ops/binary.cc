// Element-wise functions of two inputs, which are broadcast to one shape.

#include <cmath>

#include "graph/ops/broadcast.h"
#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

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
    return SingleOutput(type, std::move(a));
  }
  const std::vector<double> b = BroadcastValues(right, type.shape);
  for (size_t i = 0; i < a.size(); ++i) a[i] = function(a[i], b[i]);
  return SingleOutput(type, std::move(a));
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

// The result has the sign of the divisor or, with `fmod`, of the dividend.
std::vector<Array> EvaluateMod(const OpContext& context,
                               std::span<const ValueType> types) {
  const bool fmod = context.Int("fmod", 0) != 0;
  return EvaluatePairs(context, types[0], [fmod](double x, double y) {
    const double rest = std::fmod(x, y);
    const bool other_side = rest != 0 && (rest < 0) != (y < 0);
    return !fmod && other_side ? rest + y : rest;
  });
}

// Computed by multiplying with a power of two. Bits beyond the width of the
// element type are kept, since graphs do not record the width.
std::vector<Array> EvaluateBitShift(const OpContext& context,
                                    std::span<const ValueType> types) {
  const bool left = context.String("direction", "") == "LEFT";
  return EvaluatePairs(context, types[0], [left](double x, double y) {
    return std::floor(x * std::exp2(left ? y : -y));
  });
}

std::vector<ValueType> InferBitwise(const OpContext& context) {
  if (context.type(0).kind != Kind::kInteger) {
    throw context.Bad("its inputs are not integers");
  }
  return InferArithmetic(context);
}

// Clamps numbers to the range of int64. Beyond that range, a double does not
// hold single bits.
template <int64_t (*kFunction)(int64_t, int64_t)>
double OfBits(double x, double y) {
  return static_cast<double>(kFunction(ClampedInt(x), ClampedInt(y)));
}

int64_t BitwiseAnd(int64_t x, int64_t y) { return x & y; }
int64_t BitwiseOr(int64_t x, int64_t y) { return x | y; }
int64_t BitwiseXor(int64_t x, int64_t y) { return x ^ y; }

// The slope is broadcast to the input, but not the input to the slope.
std::vector<ValueType> InferPRelu(const OpContext& context) {
  std::vector<ValueType> types = InferArithmetic(context);
  if (types[0].shape != context.shape(0)) {
    throw context.Bad("slope " + ShapeText(context.shape(1)) +
                      " does not fit " + ShapeText(context.shape(0)));
  }
  return types;
}

constexpr OperatorInput kAddends[] = {{.role = InputRole::kAddend}};
constexpr OperatorInput kOperands[] = {{.role = InputRole::kOperand}};
constexpr OperatorInput kPReluInputs[] = {kData, {.role = InputRole::kSlope}};
constexpr AttributeDefault kMod[] = {{"fmod", 0}};

constexpr Facts kPairs = With(kUsual, kOnlyData, DegreeLaw::kNone);
constexpr Facts kSizes = With(kPairs, SizeMarks::kEach);

template <double (*kFunction)(double, double), typename... Fact>
constexpr Operator Arithmetic(std::string_view name, const Fact&... facts) {
  return {name, 2, InferArithmetic, EvaluateEach<kFunction>,
          With(kSizes, facts...)};
}

template <double (*kFunction)(double, double), typename... Fact>
constexpr Operator Comparison(std::string_view name, const Fact&... facts) {
  return {name, 2, InferComparison, EvaluateEach<kFunction>,
          With(kSizes, OperatorClass::kComparison, kWithoutGradient, facts...)};
}

template <double (*kFunction)(double, double), typename... Fact>
constexpr Operator Logic(std::string_view name, const Fact&... facts) {
  return {name, 2, InferComparison, EvaluateEach<kFunction>,
          With(kPairs, Commutes::kYes, kWithoutGradient, facts...)};
}

template <int64_t (*kFunction)(int64_t, int64_t)>
constexpr Operator Bitwise(std::string_view name) {
  return {name, 2, InferBitwise, EvaluateEach<OfBits<kFunction>>,
          With(kSizes, Commutes::kYes, kWithoutGradient)};
}

constexpr Operator kOperators[] = {
    Arithmetic<Add>("Add", kAddends, DegreeLaw::kLinear,
                    WeightInit::kTableOrBias, Commutes::kYes, ZeroLaw::kAsSum,
                    DistinctLaw::kAsSum),
    Arithmetic<Subtract>("Sub", kOperands, DegreeLaw::kLinear,
                         WeightInit::kZeros, ZeroLaw::kAsSum),
    Arithmetic<Multiply>("Mul", kOperands, DegreeLaw::kProduct,
                         WeightInit::kOnes, Commutes::kYes,
                         ZeroLaw::kAsFactors),
    {"Div", 2, InferArithmetic, EvaluateDiv,
     With(kSizes, kOperands, DegreeLaw::kQuotient, WeightInit::kZeros,
          ZeroLaw::kAsDividend)},
    Arithmetic<Power>("Pow", DegreeLaw::kPower, ZeroLaw::kAsInput),
    {"Mod", 2, InferArithmetic, EvaluateMod, With(kSizes, kMod)},
    Comparison<Equal>("Equal", Commutes::kYes),
    Comparison<Less>("Less"),
    Comparison<LessOrEqual>("LessOrEqual"),
    Comparison<Greater>("Greater"),
    Comparison<GreaterOrEqual>("GreaterOrEqual"),
    Logic<And>("And", SizeMarks::kEach),
    Logic<Or>("Or", SizeMarks::kEach),
    Logic<Xor>("Xor"),
    {"PRelu", 2, InferPRelu, EvaluateEach<PRelu>,
     With(kPairs, kPReluInputs, DegreeLaw::kSlopes, WeightInit::kSlope)},
    Bitwise<BitwiseAnd>("BitwiseAnd"),
    Bitwise<BitwiseOr>("BitwiseOr"),
    Bitwise<BitwiseXor>("BitwiseXor"),
    {"BitShift", 2, InferArithmetic, EvaluateBitShift,
     With(kPairs, kWithoutGradient)},
};

}  // namespace

std::span<const Operator> BinaryOperators() { return kOperators; }

}  // namespace rebasin
