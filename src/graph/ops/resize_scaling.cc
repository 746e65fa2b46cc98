#include "graph/ops/resize_scaling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "graph/ops/common.h"

namespace rebasin {
namespace {

// Limit of sizes, below which they are exact as double.
constexpr double kLargest = 0x1p50;

void SetScale(const OpContext& context, double scale, AxisScaling& scaling) {
  const double size = std::floor(static_cast<double>(scaling.from) * scale);
  if (!(scale > 0) || !(size < kLargest)) {
    throw context.Bad("its scales are out of range");
  }
  scaling.to = static_cast<int64_t>(size);
  scaling.scale = scale;
}

void SetSize(const OpContext& context, double size, AxisScaling& scaling) {
  if (!(size >= 0) || !(size < kLargest) || scaling.from == 0) {
    throw context.Bad("its sizes are out of range");
  }
  scaling.to = static_cast<int64_t>(size);
  scaling.scale = size / static_cast<double>(scaling.from);
}

// An input without elements counts as omitted.
bool IsGiven(const OpContext& context, size_t input) {
  return context.Has(input) && Count(context.shape(input)) > 0;
}

// With keep_aspect_ratio_policy, all axes get one scale.
void KeepRatio(const OpContext& context, const std::vector<int64_t>& axes,
               std::vector<AxisScaling>& scalings) {
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
    const double size =
        std::round(scale * static_cast<double>(scalings[axis].from));
    SetSize(context, size, scalings[axis]);
    scalings[axis].scale = scale;
  }
}

}  // namespace

std::optional<std::vector<AxisScaling>> Scalings(const OpContext& context) {
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
  std::vector<AxisScaling> scalings;
  for (int64_t size : context.shape(0)) scalings.push_back({size, size, 1});
  for (size_t i = 0; i < axes.size(); ++i) {
    AxisScaling& scaling = scalings[axes[i]];
    if (by_size) {
      SetSize(context, given->values()[i], scaling);
    } else {
      SetScale(context, given->values()[i], scaling);
    }
  }
  if (by_size) KeepRatio(context, axes, scalings);
  return scalings;
}

}  // namespace rebasin
