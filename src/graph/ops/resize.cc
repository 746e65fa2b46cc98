// Resizing images, one axis after the other: each output element is a weighted
// sum of a few input elements near the place it comes from.

#include <algorithm>
#include <cmath>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/resize_scaling.h"

namespace rebasin {
namespace {

std::vector<ValueType> InferResize(const OpContext& context) {
  const auto scalings = Scalings(context);
  if (!scalings) return {ValueType{}};
  Shape shape;
  for (const Scaling& scaling : *scalings) shape.push_back(scaling.to);
  return {KnownType(context.type(0).kind, std::move(shape))};
}

// The place in the input that an output index comes from.
double Origin(const OpContext& context, const std::string& mode,
              const Scaling& scaling, int64_t index) {
  const double x = static_cast<double>(index);
  if (mode == "asymmetric") return x / scaling.scale;
  if (mode == "align_corners") {
    const auto steps = [](int64_t n) { return static_cast<double>(n - 1); };
    return scaling.to == 1 ? 0 : x * steps(scaling.from) / steps(scaling.to);
  }
  if (mode == "pytorch_half_pixel" && scaling.to == 1) return 0;
  if (mode == "half_pixel" || mode == "pytorch_half_pixel") {
    return (x + 0.5) / scaling.scale - 0.5;
  }
  throw Unsupported(context, "coordinates " + Quoted(mode));
}

struct Tap {
  int64_t index;
  double weight;
};

double NearestTo(const OpContext& context, double x) {
  const std::string mode = context.String("nearest_mode", "round_prefer_floor");
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  if (mode == "round_prefer_ceil") return std::floor(x + 0.5);
  return std::ceil(x - 0.5);
}

// Keys' cubic kernel at a distance of the place.
double Cubic(double distance, double a) {
  const double x = std::fabs(distance);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

std::vector<Tap> TapsAt(const OpContext& context, double x) {
  const std::string mode = context.String("mode", "nearest");
  const auto index = [](double place) { return static_cast<int64_t>(place); };
  if (mode == "nearest") return {{index(NearestTo(context, x)), 1.0}};
  const double low = std::floor(x);
  if (mode == "linear") {
    return {{index(low), 1 - (x - low)}, {index(low) + 1, x - low}};
  }
  if (mode != "cubic") throw Unsupported(context, "mode " + Quoted(mode));
  const double a = context.Float("cubic_coeff_a", -0.75);
  std::vector<Tap> taps;
  for (int64_t i = -1; i <= 2; ++i) {
    taps.push_back(
        {index(low) + i, Cubic(x - low - static_cast<double>(i), a)});
  }
  return taps;
}

// Taps beyond the ends read the ends; or with exclude_outside nothing, and the
// others share their weight.
void KeepInside(const OpContext& context, int64_t size,
                std::vector<Tap>& taps) {
  const bool exclude = context.Int("exclude_outside", 0) != 0;
  double sum = 0;
  for (Tap& tap : taps) {
    const int64_t inside = std::clamp(tap.index, int64_t{0}, size - 1);
    if (exclude && tap.index != inside) tap.weight = 0;
    tap.index = inside;
    sum += tap.weight;
  }
  for (Tap& tap : taps) tap.weight /= exclude ? sum : 1;
}

std::vector<double> ResizeAxis(const OpContext& context,
                               const std::vector<double>& from,
                               const AxisView& view, const Scaling& scaling) {
  const std::string mode =
      context.String("coordinate_transformation_mode", "half_pixel");
  std::vector<double> result(view.outer * scaling.to * view.inner, 0.0);
  for (int64_t i = 0; i < scaling.to; ++i) {
    auto taps = TapsAt(context, Origin(context, mode, scaling, i));
    KeepInside(context, view.size, taps);
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
    throw Unsupported(context, "antialias cannot be run");
  }
  const std::vector<Scaling> scalings = *Scalings(context);
  Shape shape = context.shape(0);
  std::vector<double> values = context.array(0)->values();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (scalings[axis].scale == 1) continue;
    const AxisView view = ViewAxis(shape, static_cast<int64_t>(axis));
    values = ResizeAxis(context, values, view, scalings[axis]);
    shape[axis] = scalings[axis].to;
  }
  return One(types[0], std::move(values));
}

constexpr Operator kOperators[] = {
    {"Resize", InferResize, EvaluateResize, kCostly},
};

}  // namespace

std::span<const Operator> ResizeOperators() { return kOperators; }

}  // namespace rebasin
