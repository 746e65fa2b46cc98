// Pooling by sliding windows. LibTorch pads both ends of an axis equally and by
// at most half the window; other padding is done first.

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "graph/ops/window.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

// A window with LibTorch's parameters.
struct Window {
  std::vector<int64_t> kernel, stride, pads, dilation;
  bool ceil = false;
};

// The number of places in LibTorch, with padding `begin` at both ends.
int64_t NativeCount(const Slide& slide, bool ceil) {
  const int64_t room = slide.size + 2 * slide.begin - slide.extent();
  if (room < 0) return 0;
  const int64_t count = room / slide.stride + 1;
  const bool fits = count * slide.stride < slide.size + slide.begin;
  return count + (ceil && room % slide.stride != 0 && fits);
}

bool IsNative(const std::vector<Slide>& slides, bool ceil) {
  return std::all_of(slides.begin(), slides.end(), [&](const Slide& slide) {
    return slide.begin <= slide.kernel / 2 &&
           NativeCount(slide, ceil) == slide.count;
  });
}

Window MakeWindow(const std::vector<Slide>& slides, bool padded, bool ceil) {
  Window window;
  window.ceil = ceil;
  for (const Slide& slide : slides) {
    window.kernel.push_back(slide.kernel);
    window.stride.push_back(slide.stride);
    window.pads.push_back(padded ? 0 : slide.begin);
    window.dilation.push_back(slide.dilation);
  }
  return window;
}

// Pads up to the end of the last window; no window sees the rest.
at::Tensor PaddedForWindows(const at::Tensor& x,
                            const std::vector<Slide>& slides, double fill) {
  std::vector<std::pair<int64_t, int64_t>> margins;
  for (const Slide& slide : slides) {
    const int64_t end = (slide.count - 1) * slide.stride + slide.extent();
    margins.emplace_back(slide.begin, end - slide.size - slide.begin);
  }
  return Padded(x, margins, fill);
}

at::Tensor MaxPoolOf(const at::Tensor& x, const Window& w) {
  switch (w.kernel.size()) {
    case 1:
      return at::max_pool1d(x, w.kernel, w.stride, w.pads, w.dilation, w.ceil);
    case 2:
      return at::max_pool2d(x, w.kernel, w.stride, w.pads, w.dilation, w.ceil);
    default:
      return at::max_pool3d(x, w.kernel, w.stride, w.pads, w.dilation, w.ceil);
  }
}

std::vector<at::Tensor> MaxPool(const OpCall& call) {
  const std::vector<Slide> slides = PoolSlides(call.context());
  for (bool ceil : {false, true}) {
    if (!IsNative(slides, ceil)) continue;
    return {MaxPoolOf(call[0], MakeWindow(slides, false, ceil))};
  }
  constexpr double kLeast = -std::numeric_limits<double>::infinity();
  return {MaxPoolOf(PaddedForWindows(call[0], slides, kLeast),
                    MakeWindow(slides, true, false))};
}

at::Tensor AveragePoolOf(const at::Tensor& x, const Window& w, bool padding) {
  switch (w.kernel.size()) {
    case 1:
      return at::avg_pool1d(x, w.kernel, w.stride, w.pads, w.ceil, padding);
    case 2:
      return at::avg_pool2d(x, w.kernel, w.stride, w.pads, w.ceil, padding);
    default:
      return at::avg_pool3d(x, w.kernel, w.stride, w.pads, w.ceil, padding);
  }
}

// The sums over the windows, for any dilation: a depth-wise convolution with
// ones.
at::Tensor WindowSums(const at::Tensor& x, const std::vector<Slide>& slides) {
  const Window window = MakeWindow(slides, true, false);
  const at::Tensor padded = PaddedForWindows(x, slides, 0);
  std::vector<int64_t> kernel = {1, 1}, shape = {x.size(0), x.size(1)};
  for (const Slide& slide : slides) {
    kernel.push_back(slide.kernel);
    shape.push_back(slide.count);
  }
  const std::vector<int64_t> none(slides.size(), 0);
  return at::convolution(padded.flatten(0, 1).unsqueeze(1),
                         at::ones(kernel, x.options()), {}, window.stride, none,
                         window.dilation, false, none, 1)
      .reshape(shape);
}

// The sum over each window divided by its number of elements: those of the
// input, or with `padding` also the explicit padding.
at::Tensor AverageOf(const at::Tensor& x, const std::vector<Slide>& slides,
                     bool padding) {
  std::vector<int64_t> plane = {1, 1};
  std::vector<std::pair<int64_t, int64_t>> margins;
  std::vector<Slide> counted = slides;
  for (Slide& slide : counted) {
    plane.push_back(slide.size);
    margins.emplace_back(slide.begin, slide.end);
    slide.size += slide.begin + slide.end;
    slide.begin = slide.end = 0;
  }
  const at::Tensor ones = at::ones(plane, x.options());
  const at::Tensor counts = padding
                                ? WindowSums(Padded(ones, margins, 1), counted)
                                : WindowSums(ones, slides);
  return WindowSums(x, slides) / counts;
}

std::vector<at::Tensor> AveragePool(const OpCall& call) {
  const std::vector<Slide> slides = PoolSlides(call.context());
  const bool padding = call.context().Int("count_include_pad", 0) != 0;
  const bool plain =
      std::all_of(slides.begin(), slides.end(), [&](const Slide& slide) {
        return slide.dilation == 1 && (!padding || slide.begin == slide.end);
      });
  for (bool ceil : {false, true}) {
    if (!plain || !IsNative(slides, ceil)) continue;
    const Window window = MakeWindow(slides, false, ceil);
    return {AveragePoolOf(call[0], window, padding)};
  }
  return {AverageOf(call[0], slides, padding)};
}

std::vector<at::Tensor> LpPool(const OpCall& call) {
  const double p = static_cast<double>(call.context().Int("p", 2));
  const at::Tensor powers = at::pow(call[0].abs(), p);
  return {at::pow(WindowSums(powers, PoolSlides(call.context())), 1 / p)};
}

bool HasAtMostThreeAxes(const OpContext& context) {
  return OfFloats(context) && context.rank(0) <= 5;
}

// LibTorch defines the indices of maxima differently.
bool AsksNoIndices(const OpContext& context) {
  return HasAtMostThreeAxes(context) && context.outputs() == 1;
}

constexpr Lowering kLowerings[] = {
    {"MaxPool", MaxPool, AsksNoIndices},
    {"AveragePool", AveragePool, HasAtMostThreeAxes},
    {"LpPool", LpPool, HasAtMostThreeAxes},
};

}  // namespace

std::span<const Lowering> PoolingLowerings() { return kLowerings; }

}  // namespace rebasin::nn
