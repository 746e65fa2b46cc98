// Normalisations by running statistics, or by statistics of parts of the input.

#include <cmath>

#include "graph/ops/broadcast.h"
#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

// Throws unless each of the inputs [begin, end) is a vector with one element
// for each channel.
void CheckPerChannel(const OpContext& context, size_t begin, size_t end) {
  if (context.rank(0) < 2) throw context.Bad("its input has no channels");
  for (size_t i = begin; i < end; ++i) {
    if (context.shape(i) != Shape{context.shape(0)[1]}) {
      throw context.Bad("input " + std::to_string(i) + " " +
                        ShapeText(context.shape(i)) + " does not fit " +
                        ShapeText(context.shape(0)));
    }
  }
}

std::vector<ValueType> InferBatch(const OpContext& context) {
  CheckPerChannel(context, 1, 5);
  return {context.type(0), context.type(3), context.type(4)};
}

std::vector<Array> EvaluateBatch(const OpContext& context,
                                 std::span<const ValueType> types) {
  const double epsilon = context.Float("epsilon", 1e-5);
  const AxisView view = ViewAxis(context.shape(0), 1);
  std::vector<double> values = context.array(0)->values();
  for (int64_t i = 0; i < view.outer * view.size; ++i) {
    const int64_t channel = i % view.size;
    const auto of = [&](size_t input) {
      return context.array(input)->values()[channel];
    };
    const double scale = of(1) / std::sqrt(of(4) + epsilon);
    for (int64_t j = 0; j < view.inner; ++j) {
      double& value = values[i * view.inner + j];
      value = (value - of(3)) * scale + of(2);
    }
  }
  auto results = SingleOutput(types[0], std::move(values));
  results.push_back(*context.array(3));
  results.push_back(*context.array(4));
  return results;
}

struct Statistics {
  double mean = 0;
  double inverse_deviation = 0;
};

Statistics Measure(std::span<const double> values, double epsilon) {
  const double count = static_cast<double>(values.size());
  double sum = 0;
  for (double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  return {mean, 1 / std::sqrt(squares / count + epsilon)};
}

// Normalises each block of `size` consecutive values to mean 0 and variance 1.
// Returns the statistics before.
std::vector<Statistics> NormalizeBlocks(std::vector<double>& values,
                                        int64_t size, double epsilon) {
  std::vector<Statistics> statistics;
  for (size_t at = 0; size > 0 && at < values.size(); at += size) {
    const std::span<double> block(values.data() + at, size);
    const Statistics found = Measure(block, epsilon);
    for (double& value : block) {
      value = (value - found.mean) * found.inverse_deviation;
    }
    statistics.push_back(found);
  }
  return statistics;
}

// values * scale + bias. Scale and bias have one element for each equal part of
// the channels (axis 1).
void ScaleChannels(const OpContext& context, std::vector<double>& values) {
  const AxisView view = ViewAxis(context.shape(0), 1);
  const std::vector<double>& scale = context.array(1)->values();
  const std::vector<double>& bias = context.array(2)->values();
  const int64_t repeat = view.size / static_cast<int64_t>(scale.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t channel = static_cast<int64_t>(i) / view.inner % view.size;
    values[i] = values[i] * scale[channel / repeat] + bias[channel / repeat];
  }
}

std::vector<ValueType> InferInstance(const OpContext& context) {
  CheckPerChannel(context, 1, 3);
  return {context.type(0)};
}

std::vector<Array> EvaluateInstance(const OpContext& context,
                                    std::span<const ValueType> types) {
  std::vector<double> values = context.array(0)->values();
  NormalizeBlocks(values, ViewAxis(context.shape(0), 1).inner,
                  context.Float("epsilon", 1e-5));
  ScaleChannels(context, values);
  return SingleOutput(types[0], std::move(values));
}

// Scale and bias have one element for each group or (since opset 21) for each
// channel.
std::vector<ValueType> InferGroup(const OpContext& context) {
  if (context.rank(0) < 2) throw context.Bad("its input has no channels");
  const int64_t groups = context.Int("num_groups", 0);
  const int64_t channels = context.shape(0)[1];
  if (groups < 1 || channels % groups != 0) {
    throw context.Bad(std::to_string(channels) +
                      " channels cannot be divided into " +
                      std::to_string(groups) + " groups");
  }
  const Shape& scale = context.shape(1);
  const bool fits = scale == Shape{groups} || scale == Shape{channels};
  if (!fits || context.shape(2) != scale) {
    throw context.Bad("scale " + ShapeText(scale) + " and bias " +
                      ShapeText(context.shape(2)) + " do not fit " +
                      ShapeText(context.shape(0)));
  }
  return {context.type(0)};
}

std::vector<Array> EvaluateGroup(const OpContext& context,
                                 std::span<const ValueType> types) {
  const int64_t images = context.shape(0)[0];
  std::vector<double> values = context.array(0)->values();
  NormalizeBlocks(
      values, context.array(0)->size() / images / context.Int("num_groups", 1),
      context.Float("epsilon", 1e-5));
  ScaleChannels(context, values);
  return SingleOutput(types[0], std::move(values));
}

int64_t LayerAxis(const OpContext& context) {
  return context.NormalAxis(context.Int("axis", -1), context.rank(0));
}

std::vector<ValueType> InferLayer(const OpContext& context) {
  const Shape& shape = context.shape(0);
  const int64_t axis = LayerAxis(context);
  const Shape inner(shape.begin() + axis, shape.end());
  if (Count(inner) == 0) throw context.Bad("there is nothing to normalise");
  for (size_t i = 1; i < 3; ++i) {
    if (i == 2 && !context.Has(i)) continue;
    if (BroadcastShapes(context, inner, context.shape(i)) != inner) {
      throw context.Bad("input " + std::to_string(i) + " " +
                        ShapeText(context.shape(i)) + " does not fit " +
                        ShapeText(shape));
    }
  }
  Shape kept = shape;
  std::fill(kept.begin() + axis, kept.end(), 1);
  return {context.type(0), KnownType(Kind::kFloat, kept),
          KnownType(Kind::kFloat, kept)};
}

std::vector<Array> EvaluateLayer(const OpContext& context,
                                 std::span<const ValueType> types) {
  const Shape& shape = context.shape(0);
  const Shape inner(shape.begin() + LayerAxis(context), shape.end());
  const auto size = static_cast<size_t>(Count(inner));
  std::vector<double> values = context.array(0)->values();
  const auto statistics =
      NormalizeBlocks(values, size, context.Float("epsilon", 1e-5));
  const auto scale = BroadcastValues(*context.array(1), inner);
  const auto bias = context.Has(2) ? BroadcastValues(*context.array(2), inner)
                                   : std::vector<double>(size, 0.0);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = values[i] * scale[i % size] + bias[i % size];
  }
  std::vector<double> means, inverses;
  for (const Statistics& found : statistics) {
    means.push_back(found.mean);
    inverses.push_back(found.inverse_deviation);
  }
  return {MakeArray(types[0].kind, types[0].shape, std::move(values)),
          MakeArray(types[1].kind, types[1].shape, std::move(means)),
          MakeArray(types[2].kind, types[2].shape, std::move(inverses))};
}

constexpr OperatorInput kAffine[] = {
    kData, {.role = InputRole::kScale}, {.role = InputRole::kBias}};
constexpr OperatorInput kWithStatistics[] = {kData,
                                             {.role = InputRole::kScale},
                                             {.role = InputRole::kBias},
                                             {.role = InputRole::kMean},
                                             {.role = InputRole::kVariance}};

constexpr AttributeDefault kEpsilon[] = {{"epsilon", 1e-5f}};
constexpr AttributeDefault kLayerDefaults[] = {{"axis", -1},
                                               {"epsilon", 1e-5f}};

constexpr Facts kNormalizes =
    With(kUsual, OperatorClass::kNormalization, kAffine,
         WeightInit::kNormalization, kEpsilon);

constexpr Operator kOperators[] = {
    {"BatchNormalization", 5, InferBatch, EvaluateBatch,
     With(kNormalizes, kWithStatistics, DegreeLaw::kBatchNorm)},
    {"InstanceNormalization", 3, InferInstance, EvaluateInstance,
     With(kNormalizes, DegreeLaw::kInstanceNorm)},
    {"GroupNormalization", 3, InferGroup, EvaluateGroup,
     With(kNormalizes, DegreeLaw::kGroupNorm, WrittenSizes::kNormGroups)},
    {"LayerNormalization", 3, InferLayer, EvaluateLayer,
     With(kNormalizes, DegreeLaw::kLayerNorm, ZeroLaw::kAsBias,
          kLayerDefaults)},
};

}  // namespace

std::span<const Operator> NormalizationOperators() { return kOperators; }

}  // namespace rebasin
