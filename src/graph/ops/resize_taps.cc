#include "graph/ops/resize_taps.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "graph/ops/common.h"

namespace rebasin {
namespace {

// The position in the input that an output index corresponds to.
double Origin(const OpContext& context, const std::string& mode,
              const AxisScaling& scaling, int64_t index) {
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
  throw Unsupported(context,
                    "coordinates " + Quoted(mode) + " are not supported");
}

double NearestTo(const OpContext& context, double x) {
  const std::string mode = context.String("nearest_mode", "round_prefer_floor");
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  if (mode == "round_prefer_ceil") return std::floor(x + 0.5);
  return std::ceil(x - 0.5);
}

// Keys' cubic kernel at a distance from the position.
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
  if (mode != "cubic") {
    throw Unsupported(context, "mode " + Quoted(mode) + " is not supported");
  }
  const double a = context.Float("cubic_coeff_a", -0.75);
  std::vector<Tap> taps;
  for (int64_t i = -1; i <= 2; ++i) {
    taps.push_back(
        {index(low) + i, Cubic(x - low - static_cast<double>(i), a)});
  }
  return taps;
}

// Taps beyond the ends read the last element. With exclude_outside they are
// dropped, and the others are rescaled to a sum of one.
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

}  // namespace

std::vector<Tap> Taps(const OpContext& context, const AxisScaling& scaling,
                      int64_t index) {
  const std::string mode =
      context.String("coordinate_transformation_mode", "half_pixel");
  auto taps = TapsAt(context, Origin(context, mode, scaling, index));
  KeepInside(context, scaling.from, taps);
  return taps;
}

}  // namespace rebasin
