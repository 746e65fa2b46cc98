// Element-wise functions with parameters.

#include <cmath>
#include <numbers>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

// Each of these functions reads the parameters and returns the function to
// apply.

auto LeakyRelu(const OpContext& context) {
  const double alpha = context.Float("alpha", 0.01);
  return [=](double x) { return x < 0 ? alpha * x : x; };
}

auto Elu(const OpContext& context) {
  const double alpha = context.Float("alpha", 1);
  return [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; };
}

auto Celu(const OpContext& context) {
  const double alpha = context.Float("alpha", 1);
  return [=](double x) { return x < 0 ? alpha * std::expm1(x / alpha) : x; };
}

auto Selu(const OpContext& context) {
  const double alpha = context.Float("alpha", 1.67326319217681884765625);
  const double gamma = context.Float("gamma", 1.05070102214813232421875);
  return [=](double x) { return gamma * (x < 0 ? alpha * std::expm1(x) : x); };
}

auto ThresholdedRelu(const OpContext& context) {
  const double alpha = context.Float("alpha", 1);
  return [=](double x) { return x <= alpha ? 0 : x; };
}

auto HardSigmoid(const OpContext& context) {
  const double alpha = context.Float("alpha", 0.2);
  const double beta = context.Float("beta", 0.5);
  return [=](double x) { return MaxOrNan(MinOrNan(alpha * x + beta, 1), 0); };
}

auto Gelu(const OpContext& context) {
  const bool tanh = context.String("approximate", "none") == "tanh";
  return [=](double x) {
    const double bent =
        tanh ? std::tanh(std::numbers::sqrt2 * std::numbers::inv_sqrtpi *
                         (x + 0.044715 * x * x * x))
             : std::erf(x / std::numbers::sqrt2);
    return 0.5 * x * (1 + bent);
  };
}

auto Shrink(const OpContext& context) {
  const double lambda = context.Float("lambd", 0.5);
  const double bias = context.Float("bias", 0);
  return [=](double x) {
    if (std::isnan(x)) return x;
    return x < -lambda ? x + bias : x > lambda ? x - bias : 0;
  };
}

auto IsInf(const OpContext& context) {
  const bool negative = context.Int("detect_negative", 1) != 0;
  const bool positive = context.Int("detect_positive", 1) != 0;
  return [=](double x) {
    return static_cast<double>(std::isinf(x) && (x < 0 ? negative : positive));
  };
}

template <auto kMake>
std::vector<Array> EvaluateEach(const OpContext& context,
                                std::span<const ValueType> types) {
  const auto function = kMake(context);
  std::vector<double> values = context.array(0)->values();
  for (double& value : values) value = function(value);
  return SingleOutput(types[0], std::move(values));
}

std::vector<ValueType> InferBoolean(const OpContext& context) {
  return {KnownType(Kind::kBoolean, context.shape(0))};
}

template <auto kMake, typename... Fact>
constexpr Operator Each(std::string_view name, const Fact&... facts) {
  return {name, 1, InferSame, EvaluateEach<kMake>,
          With(kUsual, kOnlyData, facts...)};
}

constexpr auto kNone = DegreeLaw::kNone;

constexpr AttributeDefault kLeakyRelu[] = {{"alpha", 0.01f}};
constexpr AttributeDefault kAlpha[] = {{"alpha", 1}};
constexpr AttributeDefault kSelu[] = {{"alpha", 1.67326319217681884765625f},
                                      {"gamma", 1.05070102214813232421875f}};
constexpr AttributeDefault kHardSigmoid[] = {{"alpha", 0.2f}, {"beta", 0.5f}};
constexpr AttributeDefault kGelu[] = {{"approximate", "none"}};

constexpr Operator kOperators[] = {
    Each<LeakyRelu>("LeakyRelu", DegreeLaw::kHomogeneous, kLeakyRelu),
    Each<Elu>("Elu", kNone, kAlpha),
    Each<Celu>("Celu", kNone, kAlpha),
    Each<Selu>("Selu", kNone, kSelu),
    Each<ThresholdedRelu>("ThresholdedRelu", kNone, kAlpha),
    Each<HardSigmoid>("HardSigmoid", kNone, kHardSigmoid),
    Each<Gelu>("Gelu", kNone, kGelu),
    Each<Gelu>("com.microsoft::Gelu", kNone),
    Each<Shrink>("Shrink", kNone),
    {"IsInf", 1, InferBoolean, EvaluateEach<IsInf>,
     With(kUsual, kOnlyData, kNone, kWithoutGradient)},
};

}  // namespace

std::span<const Operator> ActivationOperators() { return kOperators; }

}  // namespace rebasin
