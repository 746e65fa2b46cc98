// Convolutions. LibTorch pads both ends of an axis alike; where ONNX does not,
// padding and cutting are steps of their own.

#include <ATen/ATen.h>

#include <algorithm>

#include "graph/ops/window.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

// Of each slide, one number.
std::vector<int64_t> Each(const std::vector<Slide>& slides,
                          int64_t Slide::*member) {
  std::vector<int64_t> numbers;
  for (const Slide& slide : slides) numbers.push_back(slide.*member);
  return numbers;
}

// What is behind the last place may be padded as one likes.
bool SamePlaces(const Slide& slide) {
  const int64_t room = slide.size + 2 * slide.begin - slide.extent();
  return room >= 0 && room / slide.stride + 1 == slide.count;
}

std::vector<at::Tensor> Conv(const OpCall& call) {
  const std::vector<Slide> slides = ConvSlides(call.context());
  at::Tensor x = call[0];
  std::vector<int64_t> pads = Each(slides, &Slide::begin);
  if (!std::all_of(slides.begin(), slides.end(), SamePlaces)) {
    std::vector<std::pair<int64_t, int64_t>> margins;
    for (const Slide& slide : slides) {
      margins.emplace_back(slide.begin, slide.end);
    }
    x = Padded(x, margins);
    pads.assign(slides.size(), 0);
  }
  return {at::convolution(
      x, call[1], call.Optional(2), Each(slides, &Slide::stride), pads,
      Each(slides, &Slide::dilation), false,
      std::vector<int64_t>(slides.size(), 0), Groups(call.context()))};
}

// How far the windows of a transposed convolution reach.
int64_t Reach(const Slide& slide) {
  return (slide.count - 1) * slide.stride + slide.extent();
}

// What LibTorch has to add to the output, if it takes `begin` off both ends.
int64_t Missing(const Slide& slide) {
  return slide.size - (Reach(slide) - 2 * slide.begin);
}

bool IsNative(const Slide& slide) {
  return Missing(slide) >= 0 &&
         Missing(slide) < std::max(slide.stride, slide.dilation);
}

at::Tensor Transposed(const OpCall& call, const std::vector<Slide>& slides,
                      const c10::optional<at::Tensor>& bias,
                      const std::vector<int64_t>& pads,
                      const std::vector<int64_t>& extra) {
  return at::convolution(call[0], call[1], bias, Each(slides, &Slide::stride),
                         pads, Each(slides, &Slide::dilation), true, extra,
                         Groups(call.context()));
}

// All that the windows reach, cut or padded to the output. The bias comes last,
// since it is also where no window reaches.
at::Tensor CutTransposed(const OpCall& call, const std::vector<Slide>& slides) {
  const std::vector<int64_t> none(slides.size(), 0);
  std::vector<std::pair<int64_t, int64_t>> margins;
  for (const Slide& slide : slides) {
    margins.emplace_back(-slide.begin,
                         slide.size - (Reach(slide) - slide.begin));
  }
  const at::Tensor all = Transposed(call, slides, c10::nullopt, none, none);
  const at::Tensor cut = Padded(all, margins);
  if (!call.Has(2)) return cut;
  std::vector<int64_t> channels(cut.dim(), 1);
  channels[1] = cut.size(1);
  return cut + call[2].reshape(channels);
}

std::vector<at::Tensor> ConvTranspose(const OpCall& call) {
  const std::vector<Slide> slides = ConvTransposeSlides(call.context());
  if (!std::all_of(slides.begin(), slides.end(), IsNative)) {
    return {CutTransposed(call, slides)};
  }
  std::vector<int64_t> extra;
  for (const Slide& slide : slides) extra.push_back(Missing(slide));
  return {Transposed(call, slides, call.Optional(2),
                     Each(slides, &Slide::begin), extra)};
}

// LibTorch knows images of up to three axes, which have channels.
bool IsImage(const OpContext& context) {
  return OfFloats(context) && context.rank(0) <= 5 && context.shape(0)[1] > 0;
}

constexpr Lowering kLowerings[] = {
    {"Conv", Conv, IsImage},
    {"ConvTranspose", ConvTranspose, IsImage},
};

}  // namespace

std::span<const Lowering> ConvLowerings() { return kLowerings; }

}  // namespace rebasin::nn
