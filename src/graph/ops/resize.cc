// Resizing images, one axis after the other: each output element is a weighted
// sum of a few input elements near the place it comes from.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"

namespace rebasin {
namespace {

// How one axis changes.
struct Scaling {
  int64_t from = 1;
  int64_t to = 1;
  double scale = 1;
};

// With keep_aspect_ratio_policy, one scale for all axes.
void KeepRatio(const OpContext& context, const std::vector<int64_t>& axes,
               std::vector<Scaling>& scalings) {
  const std::string policy =
      context.String("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || axes.empty()) return;
  double scale = scalings[axes[0]].scale;
  for (int64_t axis : axes) {
    const double other = scalings[axis].scale;
    scale = policy == "not_larger" ? std::min(scale, other)
                                   : std::max(scale, other);
  }
  for (int64_t axis : axes) {
    Scaling& scaling = scalings[axis];
    scaling.scale = scale;
    scaling.to = static_cast<int64_t>(
        std::round(scale * static_cast<double>(scaling.from)));
  }
}

// Sizes are limited so that they are exact as double.
constexpr double kLargest = 0x1p50;

void SetScale(const OpContext& context, double scale, Scaling& scaling) {
  const double size = std::floor(static_cast<double>(scaling.from) * scale);
  if (!(scale > 0) || !(size < kLargest)) {
    throw context.Bad("its scales are out of range");
  }
  scaling.to = static_cast<int64_t>(size);
  scaling.scale = scale;
}

void SetSize(const OpContext& context, int64_t size, Scaling& scaling) {
  if (size < 0 || static_cast<double>(size) > kLargest || scaling.from == 0) {
    throw context.Bad("its sizes are out of range");
  }
  scaling.to = size;
  scaling.scale = static_cast<double>(size) / static_cast<double>(scaling.from);
}

// An input may be there and have no elements, which means left out.
bool IsGiven(const OpContext& context, size_t input) {
  return context.Has(input) && Count(context.shape(input)) > 0;
}

// One for each axis; nothing if scales and sizes are not known.
std::optional<std::vector<Scaling>> Scalings(const OpContext& context) {
  constexpr size_t kScales = 2;
  constexpr size_t kSizes = 3;
  const bool by_size = IsGiven(context, kSizes);
  if (!by_size && !IsGiven(context, kScales)) {
    throw context.Bad("neither scales nor sizes are given");
  }
  std::vector<int64_t> axes(context.rank(0));
  std::iota(axes.begin(), axes.end(), 0);
  axes = NormalAxes(context, context.Ints("axes", axes), context.rank(0));
  const size_t input = by_size ? kSizes : kScales;
  const Array* given = context.array(input);
  if (Count(context.shape(input)) != static_cast<int64_t>(axes.size())) {
    throw context.Bad("its scales or sizes do not fit " +
                      ShapeText(context.shape(0)));
  }
  if (given == nullptr) return std::nullopt;
  std::vector<Scaling> scalings;
  for (int64_t size : context.shape(0)) scalings.push_back({size, size, 1});
  for (size_t i = 0; i < axes.size(); ++i) {
    Scaling& scaling = scalings[axes[i]];
    if (by_size) {
      SetSize(context, (*context.Ints(kSizes))[i], scaling);
    } else {
      SetScale(context, given->values()[i], scaling);
    }
  }
  if (by_size) KeepRatio(context, axes, scalings);
  return scalings;
}

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
