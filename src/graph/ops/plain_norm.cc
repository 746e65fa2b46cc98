// Normalisations without trained parameters.

#include <algorithm>
#include <cmath>

#include "graph/ops/axes.h"
#include "graph/ops/broadcast.h"
#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {

std::vector<int64_t> MeanVarianceAxes(const OpContext& context) {
  return NormalAxes(context, context.Ints("axes", {0, 2, 3}), context.rank(0));
}

namespace {

std::vector<ValueType> InferMeanVariance(const OpContext& context) {
  MeanVarianceAxes(context);
  return {context.type(0)};
}

// The mean of the elements that share a target.
std::vector<double> Averages(const std::vector<double>& values,
                             const std::vector<int64_t>& targets,
                             int64_t count) {
  std::vector<double> sums(count, 0.0);
  for (size_t i = 0; i < values.size(); ++i) sums[targets[i]] += values[i];
  const double each =
      static_cast<double>(values.size()) / static_cast<double>(count);
  for (double& sum : sums) sum /= each;
  return sums;
}

std::vector<Array> EvaluateMeanVariance(const OpContext& context,
                                        std::span<const ValueType> types) {
  constexpr double kEpsilon = 1e-9;  // as specified by ONNX
  Shape kept = context.shape(0);
  for (int64_t axis : MeanVarianceAxes(context)) kept[axis] = 1;
  const auto targets = BroadcastOffsets(kept, context.shape(0));
  std::vector<double> values = context.array(0)->values();
  const auto means = Averages(values, targets, Count(kept));
  for (size_t i = 0; i < values.size(); ++i) values[i] -= means[targets[i]];
  std::vector<double> squares = values;
  for (double& square : squares) square *= square;
  const auto variances = Averages(squares, targets, Count(kept));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] /= std::sqrt(variances[targets[i]]) + kEpsilon;
  }
  return SingleOutput(types[0], std::move(values));
}

std::vector<ValueType> InferLrn(const OpContext& context) {
  if (context.rank(0) < 2) throw context.Bad("its input has no channels");
  const int64_t size = context.Int("size", 1);
  if (size < 1) {
    throw context.Bad("size " + std::to_string(size) + " is not positive");
  }
  return {context.type(0)};
}

// Divides by a power of the sum of squares of neighbouring channels.
std::vector<Array> EvaluateLrn(const OpContext& context,
                               std::span<const ValueType> types) {
  const AxisView view = ViewAxis(context.shape(0), 1);
  // A window that is wider than twice the channels covers all of them anyway.
  const int64_t size = std::min(context.Int("size", 1), 2 * view.size + 1);
  const double alpha = context.Float("alpha", 1e-4);
  const double beta = context.Float("beta", 0.75);
  const double bias = context.Float("bias", 1);
  const std::vector<double>& from = context.array(0)->values();
  std::vector<double> values = from;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i);
    const int64_t channel = at / view.inner % view.size;
    const int64_t first = std::max<int64_t>(channel - (size - 1) / 2, 0);
    const int64_t last = std::min(channel + size / 2, view.size - 1);
    double sum = 0;
    for (int64_t c = first; c <= last; ++c) {
      const double neighbour = from[at + (c - channel) * view.inner];
      sum += neighbour * neighbour;
    }
    const double scale =
        bias + alpha / static_cast<double>(context.Int("size", 1)) * sum;
    values[i] /= std::pow(scale, beta);
  }
  return SingleOutput(types[0], std::move(values));
}

constexpr AttributeDefault kLrnDefaults[] = {
    {"alpha", 1e-4f}, {"beta", 0.75f}, {"bias", 1}};

constexpr Facts kDivides = With(kUsual, kOnlyData, DegreeLaw::kNone);

constexpr Operator kOperators[] = {
    {"MeanVarianceNormalization", 1, InferMeanVariance, EvaluateMeanVariance,
     With(kDivides, OperatorClass::kNormalization)},
    {"LRN", 1, InferLrn, EvaluateLrn, With(kDivides, kLrnDefaults), kCostly},
};

}  // namespace

std::span<const Operator> PlainNormOperators() { return kOperators; }

}  // namespace rebasin
