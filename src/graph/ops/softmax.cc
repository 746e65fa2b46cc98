// Functions of all elements along one axis.

#include <algorithm>
#include <cmath>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

int64_t AxisOf(const OpContext& context) {
  return context.NormalAxis(context.Int("axis", -1), context.rank(0));
}

std::vector<ValueType> InferAlong(const OpContext& context) {
  AxisOf(context);
  return {context.type(0)};
}

// Applies `change` to each line along the axis.
template <typename Change>
std::vector<Array> ChangeLines(const OpContext& context, const ValueType& type,
                               Change change) {
  const AxisView view = ViewAxis(context.shape(0), AxisOf(context));
  std::vector<double> values = context.array(0)->values();
  std::vector<double> line(view.size);
  for (int64_t i = 0; i < view.outer * view.inner; ++i) {
    double* start = values.data() + i / view.inner * view.size * view.inner +
                    i % view.inner;
    for (int64_t j = 0; j < view.size; ++j) line[j] = start[j * view.inner];
    change(line);
    for (int64_t j = 0; j < view.size; ++j) start[j * view.inner] = line[j];
  }
  return SingleOutput(type, std::move(values));
}

// Subtracts the largest element, so that no power overflows.
void LogSoftmax(std::vector<double>& line) {
  const double most = *std::max_element(line.begin(), line.end());
  double sum = 0;
  for (double value : line) sum += std::exp(value - most);
  for (double& value : line) value -= most + std::log(sum);
}

void Softmax(std::vector<double>& line) {
  const double most = *std::max_element(line.begin(), line.end());
  double sum = 0;
  for (double& value : line) sum += value = std::exp(value - most);
  for (double& value : line) value /= sum;
}

// 1 at the first of the largest elements, 0 elsewhere.
void Hardmax(std::vector<double>& line) {
  const auto most = std::max_element(line.begin(), line.end());
  const auto place = most - line.begin();
  std::fill(line.begin(), line.end(), 0.0);
  line[place] = 1;
}

template <void (*kChange)(std::vector<double>&)>
std::vector<Array> EvaluateAlong(const OpContext& context,
                                 std::span<const ValueType> types) {
  return ChangeLines(context, types[0], kChange);
}

std::vector<Array> EvaluateLp(const OpContext& context,
                              std::span<const ValueType> types) {
  const bool absolute = context.Int("p", 2) == 1;
  return ChangeLines(context, types[0], [=](std::vector<double>& line) {
    double sum = 0;
    for (double value : line)
      sum += absolute ? std::fabs(value) : value * value;
    const double norm = absolute ? sum : std::sqrt(sum);
    for (double& value : line) value = norm > 0 ? value / norm : 0;
  });
}

constexpr OperatorInput kScores[] = {{.role = InputRole::kScores}};

constexpr AttributeDefault kAxis[] = {{"axis", -1}};
constexpr AttributeDefault kLpDefaults[] = {{"axis", -1}, {"p", 2}};

constexpr Facts kAlong = With(kUsual, kOnlyData, DegreeLaw::kNone, kAxis);

constexpr Operator kOperators[] = {
    {"Softmax", 1, InferAlong, EvaluateAlong<Softmax>,
     With(kAlong, ZeroLaw::kAsInput, DistinctLaw::kAsInput)},
    {"LogSoftmax", 1, InferAlong, EvaluateAlong<LogSoftmax>,
     With(kAlong, DistinctLaw::kAsInput)},
    {"Hardmax", 1, InferAlong, EvaluateAlong<Hardmax>,
     With(kAlong, kScores, kWithoutGradient)},
    {"LpNormalization", 1, InferAlong, EvaluateLp,
     With(kAlong, OperatorClass::kNormalization, kLpDefaults)},
};

}  // namespace

std::span<const Operator> SoftmaxOperators() { return kOperators; }

}  // namespace rebasin
