// Functions of one number, applied to each element.

#include <cmath>

#include "graph/ops/ops.h"

namespace rebasin {
namespace {

std::vector<ValueType> InferSame(const OpContext& context) {
  return {context.type(0)};
}

template <double (*kFunction)(double)>
std::vector<Array> EvaluateEach(const OpContext& context,
                                std::span<const ValueType> types) {
  std::vector<double> values = context.array(0)->values();
  for (double& value : values) value = kFunction(value);
  return {MakeArray(types[0].kind, types[0].shape, std::move(values))};
}

double Relu(double x) { return x > 0 ? x : 0; }
double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

template <double (*kFunction)(double)>
constexpr Operator Each(std::string_view name) {
  return {name, InferSame, EvaluateEach<kFunction>};
}

constexpr Operator kOperators[] = {
    Each<Relu>("Relu"),
    Each<Sigmoid>("Sigmoid"),
};

}  // namespace

std::span<const Operator> UnaryOperators() { return kOperators; }

}  // namespace rebasin
