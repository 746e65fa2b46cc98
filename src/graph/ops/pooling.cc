// Pooling: reduces the elements under a window to one number.

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"
#include "graph/ops/window.h"

namespace rebasin {

std::vector<Slide> PoolSlides(const OpContext& context) {
  auto slides = ReadSlides(context, context.Ints("kernel_shape", {}));
  PlaceWindows(context, slides);
  return slides;
}

namespace {

std::vector<ValueType> InferPool(const OpContext& context) {
  const std::vector<Slide> slides = PoolSlides(context);
  return {KnownType(context.type(0).kind,
                    WindowShape(context, context.shape(0)[1], slides))};
}

std::vector<ValueType> InferMaxPool(const OpContext& context) {
  std::vector<ValueType> types = InferPool(context);
  types.push_back(KnownType(Kind::kInteger, types[0].shape));
  return types;
}

// The indices along one axis under the window at a place, times `scale`.
std::vector<int64_t> IndicesInWindow(const Slide& slide, int64_t place,
                                     int64_t scale) {
  std::vector<int64_t> indices;
  for (int64_t k = 0; k < slide.kernel; ++k) {
    const int64_t at = slide.At(place, k);
    if (slide.Inside(at)) indices.push_back(at * scale);
  }
  return indices;
}

// The number of window elements within the input or its padding. The last place
// of ceil_mode may reach beyond both.
int64_t CoveredCount(const Slide& slide, int64_t place) {
  int64_t count = 0;
  for (int64_t k = 0; k < slide.kernel; ++k) {
    count += slide.At(place, k) < slide.size + slide.end;
  }
  return count;
}

// The elements of a plane (one image, one channel) under the window at one
// place.
struct View {
  std::vector<int64_t> offsets;
  int64_t covered = 0;
};

std::vector<View> WindowViews(const std::array<Slide, 3>& slides) {
  const auto& [z, y, x] = slides;
  std::vector<View> views;
  for (int64_t i = 0; i < z.count; ++i) {
    for (int64_t j = 0; j < y.count; ++j) {
      for (int64_t k = 0; k < x.count; ++k) {
        const std::vector<int64_t> lists[] = {
            IndicesInWindow(z, i, y.size * x.size),
            IndicesInWindow(y, j, x.size), IndicesInWindow(x, k, 1)};
        views.push_back(
            {ListedOffsets(lists),
             CoveredCount(z, i) * CoveredCount(y, j) * CoveredCount(x, k)});
      }
    }
  }
  return views;
}

// Applies pool(plane, view) to all planes and views, in the order of the
// output.
template <typename Pool>
std::vector<double> EachView(const OpContext& context, Pool pool) {
  const auto slides = InThreeDimensions(context, PoolSlides(context));
  const std::vector<View> views = WindowViews(slides);
  const std::vector<double>& input = context.array(0)->values();
  const int64_t plane = slides[0].size * slides[1].size * slides[2].size;
  std::vector<double> values;
  for (int64_t at = 0; at < context.array(0)->size(); at += plane) {
    for (const View& view : views) {
      values.push_back(pool(input.data() + at, view));
    }
  }
  return values;
}

// The offset of the largest element, or of the first NaN; -1 if the window
// covers padding only.
int64_t Largest(const double* plane, const View& view) {
  int64_t best = -1;
  for (int64_t offset : view.offsets) {
    if (best >= 0 && std::isnan(plane[best])) break;
    if (best < 0 || !(plane[offset] <= plane[best])) best = offset;
  }
  return best;
}

std::vector<Array> EvaluateMaxPool(const OpContext& context,
                                   std::span<const ValueType> types) {
  const double* start = context.array(0)->values().data();
  auto values = EachView(context, [](const double* plane, const View& view) {
    const int64_t best = Largest(plane, view);
    return best < 0 ? -std::numeric_limits<double>::infinity() : plane[best];
  });
  auto results = SingleOutput(types[0], std::move(values));
  if (context.outputs() < 2) return results;
  auto places = EachView(context, [=](const double* plane, const View& view) {
    return static_cast<double>(plane - start + Largest(plane, view));
  });
  results.push_back(
      MakeArray(types[1].kind, types[1].shape, std::move(places)));
  return results;
}

std::vector<Array> EvaluateAveragePool(const OpContext& context,
                                       std::span<const ValueType> types) {
  const bool padding = context.Int("count_include_pad", 0) != 0;
  auto values = EachView(context, [=](const double* plane, const View& view) {
    double sum = 0;
    for (int64_t offset : view.offsets) sum += plane[offset];
    const int64_t seen = static_cast<int64_t>(view.offsets.size());
    return sum / static_cast<double>(padding ? view.covered : seen);
  });
  return SingleOutput(types[0], std::move(values));
}

double Norm(const double* plane, std::span<const int64_t> offsets, double p) {
  double sum = 0;
  for (int64_t offset : offsets) sum += std::pow(std::fabs(plane[offset]), p);
  return std::pow(sum, 1 / p);
}

double NormOrder(const OpContext& context) {
  return static_cast<double>(context.Int("p", 2));
}

std::vector<Array> EvaluateLpPool(const OpContext& context,
                                  std::span<const ValueType> types) {
  const double p = NormOrder(context);
  auto values = EachView(context, [=](const double* plane, const View& view) {
    return Norm(plane, view.offsets, p);
  });
  return SingleOutput(types[0], std::move(values));
}

constexpr Facts kPools = With(kUsual, kOnlyData);

constexpr Operator kOperators[] = {
    {"MaxPool", 1, InferMaxPool, EvaluateMaxPool,
     With(kPools, DegreeLaw::kHomogeneous), kCostly},
    {"AveragePool", 1, InferPool, EvaluateAveragePool,
     With(kPools, DegreeLaw::kLinear), kCostly},
    {"LpPool", 1, InferPool, EvaluateLpPool, With(kPools, DegreeLaw::kNone),
     kCostly},
};

}  // namespace

std::span<const Operator> PoolingOperators() { return kOperators; }

}  // namespace rebasin
