#include "graph/ops/window.h"

#include <algorithm>
#include <string>

#include "graph/ops/common.h"

namespace rebasin {
namespace {

// Sums and products of two numbers up to this cannot overflow.
constexpr int64_t kLargest = int64_t{1} << 30;

// Reads one number for each axis. Throws if there are more or fewer, or if one
// is outside of [least, kLargest].
std::vector<int64_t> PerAxis(const OpContext& context, std::string_view name,
                             size_t count, int64_t least, int64_t otherwise) {
  auto values = context.Ints(name, std::vector<int64_t>(count, otherwise));
  const bool in_range = std::all_of(
      values.begin(), values.end(),
      [&](int64_t value) { return value >= least && value <= kLargest; });
  if (values.size() != count || !in_range) {
    throw context.Bad("its " + std::string(name) + " do not fit " +
                      ShapeText(context.shape(0)));
  }
  return values;
}

// Sets the padding so that the output has ceil(size / stride) places.
void PadToSame(Slide& slide, bool more_at_end) {
  const int64_t count =
      slide.size / slide.stride + (slide.size % slide.stride != 0);
  const int64_t total = std::max(
      (count - 1) * slide.stride + slide.extent() - slide.size, int64_t{0});
  slide.begin = more_at_end ? total / 2 : total - total / 2;
  slide.end = total - slide.begin;
}

void CountPlaces(const OpContext& context, bool ceil, Slide& slide) {
  const int64_t room = slide.size + slide.begin + slide.end - slide.extent();
  if (room < 0) {
    throw context.Bad("its window of " + std::to_string(slide.extent()) +
                      " is larger than its padded input of " +
                      std::to_string(room + slide.extent()));
  }
  slide.count = room / slide.stride + 1;
  // Adds a place for the remainder if it starts within the input.
  const bool fits = slide.count * slide.stride < slide.size + slide.begin;
  if (ceil && room % slide.stride != 0 && fits) ++slide.count;
}

}  // namespace

std::vector<Slide> ReadSlides(const OpContext& context,
                              const std::vector<int64_t>& kernel) {
  const Shape& shape = context.shape(0);
  const size_t axes = kernel.size();
  if (axes == 0 || shape.size() != axes + 2) {
    throw context.Bad("input " + ShapeText(shape) + " does not fit its window");
  }
  const auto strides = PerAxis(context, "strides", axes, 1, 1);
  const auto dilations = PerAxis(context, "dilations", axes, 1, 1);
  const auto pads = PerAxis(context, "pads", 2 * axes, 0, 0);
  std::vector<Slide> slides(axes);
  for (size_t i = 0; i < axes; ++i) {
    if (shape[i + 2] == 0) throw context.Bad("its input is empty");
    if (kernel[i] < 1 || kernel[i] > kLargest || shape[i + 2] > kLargest) {
      throw context.Bad("its sizes are out of range");
    }
    slides[i] = {.size = shape[i + 2],
                 .kernel = kernel[i],
                 .stride = strides[i],
                 .dilation = dilations[i],
                 .begin = pads[i],
                 .end = pads[axes + i]};
  }
  return slides;
}

void PlaceWindows(const OpContext& context, std::vector<Slide>& slides) {
  const std::string mode = context.String("auto_pad", "NOTSET");
  const bool ceil = context.Int("ceil_mode", 0) != 0;
  for (Slide& slide : slides) {
    if (mode == "VALID") slide.begin = slide.end = 0;
    if (mode == "SAME_UPPER") PadToSame(slide, true);
    if (mode == "SAME_LOWER") PadToSame(slide, false);
    CountPlaces(context, ceil, slide);
  }
}

std::array<Slide, 3> InThreeDimensions(const OpContext& context,
                                       const std::vector<Slide>& slides) {
  std::array<Slide, 3> result;
  if (slides.size() > result.size()) {
    throw Unsupported(
        context, "windows of more than three dimensions are not supported");
  }
  std::copy_backward(slides.begin(), slides.end(), result.end());
  return result;
}

Shape WindowShape(const OpContext& context, int64_t channels,
                  const std::vector<Slide>& slides) {
  Shape shape = {context.shape(0)[0], channels};
  for (const Slide& slide : slides) shape.push_back(slide.count);
  return shape;
}

int64_t Groups(const OpContext& context) {
  const int64_t groups = context.Int("group", 1);
  if (groups < 1) throw context.Bad("group " + std::to_string(groups));
  return groups;
}

std::vector<double> BiasOrZeros(const OpContext& context, const Shape& shape) {
  const AxisView view = ViewAxis(shape, 1);
  std::vector<double> values(Count(shape), 0.0);
  const Array* bias = context.array(2);
  if (bias == nullptr) return values;
  for (int64_t i = 0; i < view.outer * view.size; ++i) {
    std::fill_n(values.begin() + i * view.inner, view.inner,
                bias->values()[i % view.size]);
  }
  return values;
}

}  // namespace rebasin
