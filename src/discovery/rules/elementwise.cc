// f(x, y, ...) at each index: f(Px, Py) = P f(x, y). Inputs are broadcast to
// the output's shape, and axes at the same position are tied.

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

void Elementwise(RuleContext& context) {
  Labelling labelling;
  const Shape& shape = context.output_shape(0);
  for (size_t i = 0; i < context.inputs(); ++i) {
    labelling.inputs.push_back(
        context.Has(i) ? Broadcast(context.shape(i), shape) : Labels{});
  }
  labelling.outputs = {InOrder(static_cast<int64_t>(shape.size()))};
  context.Apply(labelling);
}

// For operators whose other inputs are scalar options (a ratio, limits, a
// type).
void FirstInputOnly(RuleContext& context) {
  const Labels labels = InOrder(context.op().rank(0));
  context.Apply({.inputs = {labels},
                 .outputs = std::vector<Labels>(context.outputs(), labels)});
}

// Keeps a triangle of the last two axes, which fixes them.
void Trilu(RuleContext& context) {
  const int rank = static_cast<int>(context.op().rank(0));
  const Labels labels = InOrder(rank);
  context.Apply(
      {.inputs = {labels}, .outputs = {labels}, .fixed = {rank - 2, rank - 1}});
}

constexpr NamedRule kRules[] = {
    {"Relu", Elementwise},
    {"LeakyRelu", Elementwise},
    {"Elu", Elementwise},
    {"Celu", Elementwise},
    {"Selu", Elementwise},
    {"ThresholdedRelu", Elementwise},
    {"Sigmoid", Elementwise},
    {"HardSigmoid", Elementwise},
    {"HardSwish", Elementwise},
    {"Tanh", Elementwise},
    {"Softplus", Elementwise},
    {"Softsign", Elementwise},
    {"Gelu", Elementwise},
    {"com.microsoft::Gelu", Elementwise},
    {"Mish", Elementwise},
    {"Erf", Elementwise},
    {"Exp", Elementwise},
    {"Log", Elementwise},
    {"Sqrt", Elementwise},
    {"Reciprocal", Elementwise},
    {"Abs", Elementwise},
    {"Neg", Elementwise},
    {"Sign", Elementwise},
    {"Floor", Elementwise},
    {"Ceil", Elementwise},
    {"Round", Elementwise},
    {"Sin", Elementwise},
    {"Cos", Elementwise},
    {"Tan", Elementwise},
    {"Asin", Elementwise},
    {"Acos", Elementwise},
    {"Atan", Elementwise},
    {"Sinh", Elementwise},
    {"Cosh", Elementwise},
    {"Asinh", Elementwise},
    {"Acosh", Elementwise},
    {"Atanh", Elementwise},
    {"Not", Elementwise},
    {"IsNaN", Elementwise},
    {"IsInf", Elementwise},
    {"Identity", Elementwise},
    {"Cast", Elementwise},
    {"Shrink", Elementwise},
    {"Add", Elementwise},
    {"Sub", Elementwise},
    {"Mul", Elementwise},
    {"Div", Elementwise},
    {"Pow", Elementwise},
    {"Mod", Elementwise},
    {"Min", Elementwise},
    {"Max", Elementwise},
    {"Sum", Elementwise},
    {"Mean", Elementwise},
    {"Equal", Elementwise},
    {"Less", Elementwise},
    {"LessOrEqual", Elementwise},
    {"Greater", Elementwise},
    {"GreaterOrEqual", Elementwise},
    {"And", Elementwise},
    {"Or", Elementwise},
    {"Xor", Elementwise},
    {"BitShift", Elementwise},
    {"BitwiseAnd", Elementwise},
    {"BitwiseOr", Elementwise},
    {"BitwiseXor", Elementwise},
    {"PRelu", Elementwise},
    {"Where", Elementwise},
    {"Clip", FirstInputOnly},
    {"CastLike", FirstInputOnly},
    {"Dropout", FirstInputOnly},
    {"Trilu", Trilu},
};

}  // namespace

std::span<const NamedRule> ElementwiseRules() { return kRules; }

}  // namespace rebasin
