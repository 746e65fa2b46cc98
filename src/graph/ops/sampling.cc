// Operators that read images at places given by another input.

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

// One element along an axis and its weight.
struct Tap {
  int64_t index = 0;
  double weight = 0;
};

enum class Padding { kZeros, kBorder, kReflection };
enum class Mode { kNearest, kLinear, kCubic };

struct GridOptions {
  Mode mode = Mode::kLinear;
  Padding padding = Padding::kZeros;
  bool align_corners = false;
};

// Opset 20 renamed two of the modes.
Mode GridMode(const OpContext& context) {
  const std::string mode = context.String("mode", "linear");
  if (mode == "linear" || mode == "bilinear") return Mode::kLinear;
  if (mode == "cubic" || mode == "bicubic") return Mode::kCubic;
  if (mode == "nearest") return Mode::kNearest;
  throw context.Bad("mode " + Quoted(mode) + " is unknown");
}

Padding GridPadding(const OpContext& context) {
  const std::string padding = context.String("padding_mode", "zeros");
  if (padding == "zeros") return Padding::kZeros;
  if (padding == "border") return Padding::kBorder;
  if (padding == "reflection") return Padding::kReflection;
  throw context.Bad("padding_mode " + Quoted(padding) + " is unknown");
}

GridOptions OptionsOf(const OpContext& context) {
  return {.mode = GridMode(context),
          .padding = GridPadding(context),
          .align_corners = context.Int("align_corners", 0) != 0};
}

std::vector<ValueType> InferGridSample(const OpContext& context) {
  OptionsOf(context);
  const Shape& x = context.shape(0);
  const Shape& grid = context.shape(1);
  const size_t rank = x.size();
  if (rank < 3 || grid.size() != rank || grid[0] != x[0] ||
      grid.back() != static_cast<int64_t>(rank) - 2) {
    throw context.Bad("grid " + ShapeText(grid) + " does not fit " +
                      ShapeText(x));
  }
  Shape shape = {x[0], x[1]};
  shape.insert(shape.end(), grid.begin() + 1, grid.end() - 1);
  return {KnownType(context.type(0).kind, std::move(shape))};
}

// Converts [-1, 1] to positions. The ends are the centres of the outermost
// pixels if `align_corners`, otherwise their outer edges.
double Position(double at, int64_t size, bool align_corners) {
  const auto n = static_cast<double>(size);
  return align_corners ? (at + 1) / 2 * (n - 1) : ((at + 1) * n - 1) / 2;
}

// Reflects a position at the ends: the outermost centres, or the outer edges.
double Reflected(double position, int64_t size, bool align_corners) {
  const double low = align_corners ? 0 : -0.5;
  const double length = static_cast<double>(size) - (align_corners ? 1 : 0);
  if (length <= 0) return 0;
  const double distance = std::fmod(std::abs(position - low), 2 * length);
  return low + (distance > length ? 2 * length - distance : distance);
}

// Adds a tap at an integral position that may be outside of the image, where
// the padding decides what is read.
void AddTap(std::vector<Tap>& taps, double position, double weight,
            int64_t size, const GridOptions& options) {
  const double last = static_cast<double>(size - 1);
  if (position < 0 || position > last) {
    if (options.padding == Padding::kZeros) return;
    if (options.padding == Padding::kReflection) {
      position = Reflected(position, size, options.align_corners);
    }
    position = std::clamp(std::nearbyint(position), 0.0, last);
  }
  taps.push_back({static_cast<int64_t>(position), weight});
}

// The cubic convolution kernel with a = -0.75, for distances up to 2.
double CubicWeight(double distance) {
  constexpr double a = -0.75;
  const double d = std::abs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

std::vector<Tap> GridTaps(double at, int64_t size, const GridOptions& options) {
  const double position = Position(at, size, options.align_corners);
  std::vector<Tap> taps;
  if (!std::isfinite(position)) {
    return {{0, std::numeric_limits<double>::quiet_NaN()}};
  }
  if (options.mode == Mode::kNearest) {
    AddTap(taps, std::nearbyint(position), 1, size, options);
    return taps;
  }
  const double below = std::floor(position);
  const double part = position - below;
  if (options.mode == Mode::kLinear) {
    AddTap(taps, below, 1 - part, size, options);
    AddTap(taps, below + 1, part, size, options);
    return taps;
  }
  for (int k = -1; k <= 2; ++k) {
    AddTap(taps, below + k, CubicWeight(k - part), size, options);
  }
  return taps;
}

// All combinations of one tap from each axis, for an image with these sizes.
std::vector<Tap> Combined(std::span<const std::vector<Tap>> lists,
                          std::span<const int64_t> sizes) {
  std::vector<Tap> all = {{0, 1}};
  for (size_t axis = 0; axis < lists.size(); ++axis) {
    std::vector<Tap> next;
    for (const Tap& outer : all) {
      for (const Tap& inner : lists[axis]) {
        next.push_back({outer.index * sizes[axis] + inner.index,
                        outer.weight * inner.weight});
      }
    }
    all = std::move(next);
  }
  return all;
}

std::vector<Array> EvaluateGridSample(const OpContext& context,
                                      std::span<const ValueType> types) {
  const GridOptions options = OptionsOf(context);
  const Shape& x = context.shape(0);
  const std::span<const int64_t> sizes = std::span(x).subspan(2);
  const int64_t pixels = Count(sizes);
  const int64_t places = Count(std::span(types[0].shape).subspan(2));
  const double* image = context.array(0)->values().data();
  const double* grid = context.array(1)->values().data();
  std::vector<double> values(Count(types[0].shape), 0.0);
  std::vector<std::vector<Tap>> lists(sizes.size());
  for (int64_t n = 0; n < x[0]; ++n) {
    for (int64_t place = 0; place < places; ++place) {
      // The coordinate of the last axis comes first.
      for (size_t k = sizes.size(); k-- > 0;) {
        lists[k] = pixels == 0 ? std::vector<Tap>{}
                               : GridTaps(*grid, sizes[k], options);
        ++grid;
      }
      const std::vector<Tap> taps = Combined(lists, sizes);
      for (int64_t c = 0; c < x[1]; ++c) {
        const double* channel = image + (n * x[1] + c) * pixels;
        double& sum = values[(n * x[1] + c) * places + place];
        for (const Tap& tap : taps) sum += tap.weight * channel[tap.index];
      }
    }
  }
  return SingleOutput(types[0], std::move(values));
}

// The attributes of RoiAlign.
struct RoiOptions {
  int64_t height = 1;
  int64_t width = 1;
  int64_t sampling = 0;  // points for each bin and axis; 0: one for each pixel
  double scale = 1;
  bool half_pixel = true;
};

RoiOptions RoiOptionsOf(const OpContext& context) {
  const std::string mode = context.String("mode", "avg");
  if (mode != "avg") {
    throw Unsupported(context, "mode " + Quoted(mode) + " is not supported");
  }
  const std::string transformation =
      context.String("coordinate_transformation_mode", "half_pixel");
  const RoiOptions options = {.height = context.Int("output_height", 1),
                              .width = context.Int("output_width", 1),
                              .sampling = context.Int("sampling_ratio", 0),
                              .scale = context.Float("spatial_scale", 1),
                              .half_pixel = transformation == "half_pixel"};
  if (options.height < 1 || options.width < 1 || options.sampling < 0) {
    throw context.Bad("its output size or sampling_ratio is out of range");
  }
  return options;
}

std::vector<ValueType> InferRoiAlign(const OpContext& context) {
  const RoiOptions options = RoiOptionsOf(context);
  const Shape& x = context.shape(0);
  const Shape& rois = context.shape(1);
  if (x.size() != 4 || rois.size() != 2 || rois[1] != 4 ||
      context.shape(2) != Shape{rois[0]}) {
    throw context.Bad("boxes of " + ShapeText(rois) + " and " +
                      ShapeText(context.shape(2)) + " do not fit " +
                      ShapeText(x));
  }
  return {KnownType(context.type(0).kind,
                    {rois[0], x[1], options.height, options.width})};
}

// The bins of a box along one axis.
struct BinAxis {
  double start = 0;
  double bin = 0;
  int64_t points = 0;  // in each bin
};

BinAxis MakeBins(const OpContext& context, double from, double to, int64_t bins,
                 const RoiOptions& options) {
  // Random weights can produce boxes far larger than any image.
  constexpr int64_t kMaxPoints = 1 << 14;
  const double offset = options.half_pixel ? 0.5 : 0;
  const double start = from * options.scale - offset;
  double length = to * options.scale - offset - start;
  if (!options.half_pixel) length = std::max(length, 1.0);
  const double bin = length / static_cast<double>(bins);
  const double points = options.sampling > 0
                            ? static_cast<double>(options.sampling)
                            : std::ceil(bin);
  if (!(points <= kMaxPoints) || !std::isfinite(start)) {
    throw Unsupported(context, "a box is not finite or too large");
  }
  return {start, bin, static_cast<int64_t>(std::max(points, 0.0))};
}

// The two taps of a point; none if it is more than a pixel outside.
std::vector<Tap> PointTaps(double at, int64_t size) {
  if (at < -1 || at > static_cast<double>(size) || size == 0) return {};
  at = std::max(at, 0.0);
  const auto low = static_cast<int64_t>(at);
  if (low >= size - 1) return {{size - 1, 1}};
  const double part = at - static_cast<double>(low);
  return {{low, 1 - part}, {low + 1, part}};
}

// All taps of a bin along one axis: the sum over its points.
std::vector<Tap> BinTaps(const BinAxis& axis, int64_t bin, int64_t size) {
  std::vector<Tap> all;
  for (int64_t i = 0; i < axis.points; ++i) {
    const double at = axis.start + static_cast<double>(bin) * axis.bin +
                      (static_cast<double>(i) + 0.5) * axis.bin /
                          static_cast<double>(axis.points);
    for (const Tap& tap : PointTaps(at, size)) {
      if (!all.empty() && all.back().index == tap.index) {
        all.back().weight += tap.weight;
      } else {
        all.push_back(tap);
      }
    }
  }
  return all;
}

std::vector<std::vector<Tap>> AllBins(const BinAxis& axis, int64_t bins,
                                      int64_t size) {
  std::vector<std::vector<Tap>> taps;
  for (int64_t bin = 0; bin < bins; ++bin) {
    taps.push_back(BinTaps(axis, bin, size));
  }
  return taps;
}

double ReadBin(const double* channel, int64_t width,
               const std::vector<Tap>& rows, const std::vector<Tap>& columns) {
  double sum = 0;
  for (const Tap& row : rows) {
    for (const Tap& column : columns) {
      sum += row.weight * column.weight *
             channel[row.index * width + column.index];
    }
  }
  return sum;
}

std::vector<Array> EvaluateRoiAlign(const OpContext& context,
                                    std::span<const ValueType> types) {
  const RoiOptions options = RoiOptionsOf(context);
  const Shape& x = context.shape(0);
  const std::vector<int64_t> batches = *context.Ints(2);
  const double* roi = context.array(1)->values().data();
  std::vector<double> values;
  values.reserve(Count(types[0].shape));
  for (const int64_t index : batches) {
    const int64_t batch = NormalIndex(context, index, x[0]);
    const BinAxis across =
        MakeBins(context, roi[0], roi[2], options.width, options);
    const BinAxis down =
        MakeBins(context, roi[1], roi[3], options.height, options);
    roi += 4;
    const auto rows = AllBins(down, options.height, x[2]);
    const auto columns = AllBins(across, options.width, x[3]);
    const auto count =
        static_cast<double>(std::max<int64_t>(across.points * down.points, 1));
    for (int64_t c = 0; c < x[1]; ++c) {
      const double* channel =
          context.array(0)->values().data() + (batch * x[1] + c) * x[2] * x[3];
      for (const auto& row : rows) {
        for (const auto& column : columns) {
          values.push_back(ReadBin(channel, x[3], row, column) / count);
        }
      }
    }
  }
  return SingleOutput(types[0], std::move(values));
}

// Used by optical flow and detectors, which this project does not train, so
// there is no lowering.
constexpr Facts kSamples = With(kComputes, kOnlyData, SymmetryLaw::kRule,
                                DegreeLaw::kNone, LoweredBy::kReference);

constexpr Operator kOperators[] = {
    {"GridSample", 2, InferGridSample, EvaluateGridSample, kSamples, kCostly},
    {"RoiAlign", 3, InferRoiAlign, EvaluateRoiAlign, kSamples, kCostly},
};

}  // namespace

std::span<const Operator> SamplingOperators() { return kOperators; }

}  // namespace rebasin
