// Resizes images, one axis after the other. Each output element is a weighted
// sum of a few input elements near its place of origin.

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/resize_scaling.h"
#include "graph/ops/resize_taps.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

std::vector<ValueType> InferResize(const OpContext& context) {
  const auto scalings = Scalings(context);
  if (!scalings) return {ValueType{}};
  Shape shape;
  for (const AxisScaling& scaling : *scalings) shape.push_back(scaling.to);
  return {KnownType(context.type(0).kind, std::move(shape))};
}

std::vector<double> ResizeAxis(const OpContext& context,
                               const std::vector<double>& from,
                               const AxisView& view,
                               const AxisScaling& scaling) {
  std::vector<double> result(view.outer * scaling.to * view.inner, 0.0);
  for (int64_t i = 0; i < scaling.to; ++i) {
    const std::vector<Tap> taps = Taps(context, scaling, i);
    for (int64_t outer = 0; outer < view.outer; ++outer) {
      double* to = result.data() + (outer * scaling.to + i) * view.inner;
      for (const Tap& tap : taps) {
        const double* row =
            from.data() + (outer * view.size + tap.index) * view.inner;
        for (int64_t j = 0; j < view.inner; ++j) to[j] += tap.weight * row[j];
      }
    }
  }
  return result;
}

std::vector<Array> EvaluateResize(const OpContext& context,
                                  std::span<const ValueType> types) {
  if (context.Int("antialias", 0) != 0) {
    throw Unsupported(context, "antialias is not supported");
  }
  const std::vector<AxisScaling> scalings = *Scalings(context);
  Shape shape = context.shape(0);
  std::vector<double> values = context.array(0)->values();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (scalings[axis].scale == 1) continue;
    const AxisView view = ViewAxis(shape, static_cast<int64_t>(axis));
    values = ResizeAxis(context, values, view, scalings[axis]);
    shape[axis] = scalings[axis].to;
  }
  return SingleOutput(types[0], std::move(values));
}

constexpr AttributeDefault kDefaults[] = {
    {"antialias", 0},
    {"cubic_coeff_a", -0.75f},
    {"exclude_outside", 0},
    {"extrapolation_value", 0},
    {"coordinate_transformation_mode", "half_pixel"},
    {"keep_aspect_ratio_policy", "stretch"},
    {"mode", "nearest"},
    {"nearest_mode", "round_prefer_floor"}};

constexpr Operator kOperators[] = {
    {"Resize", 4, InferResize, EvaluateResize,
     With(kUsual, kDataAndSettings, DegreeLaw::kMoved,
          WrittenSizes::kResizedShape, kDefaults),
     kCostly},
};

}  // namespace

std::span<const Operator> ResizeOperators() { return kOperators; }

}  // namespace rebasin
