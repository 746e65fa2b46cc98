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

// Images with their channels last are faster to convolve if they are rounded,
// and norms over the channels find those side by side.
at::Tensor ImageFactor(const OpCall& call, size_t input) {
  return call.Factor(input, call.context().rank(0) == 4
                                ? at::MemoryFormat::ChannelsLast
                                : at::MemoryFormat::Preserve);
}

// The bias of each channel.
at::Tensor PlusBias(const OpCall& call, const at::Tensor& x) {
  if (!call.Has(2)) return x;
  std::vector<int64_t> channels(x.dim(), 1);
  channels[1] = x.size(1);
  return x + call[2].reshape(channels);
}

// What LibTorch adds itself: it wants no bias of another type than the factors.
c10::optional<at::Tensor> NativeBias(const OpCall& call) {
  return call.RoundsFactors() ? c10::nullopt : call.Optional(2);
}

at::Tensor PlusMissingBias(const OpCall& call, const at::Tensor& product) {
  if (!call.RoundsFactors()) return product;
  return PlusBias(call, call.FromFactors(product));
}

std::vector<at::Tensor> Conv(const OpCall& call) {
  const std::vector<Slide> slides = ConvSlides(call.context());
  at::Tensor x = ImageFactor(call, 0);
  std::vector<int64_t> pads = Each(slides, &Slide::begin);
  if (!std::all_of(slides.begin(), slides.end(), SamePlaces)) {
    std::vector<std::pair<int64_t, int64_t>> margins;
    for (const Slide& slide : slides) {
      margins.emplace_back(slide.begin, slide.end);
    }
    x = Padded(x, margins);
    pads.assign(slides.size(), 0);
  }
  const at::Tensor product = at::convolution(
      x, ImageFactor(call, 1), NativeBias(call), Each(slides, &Slide::stride),
      pads, Each(slides, &Slide::dilation), false,
      std::vector<int64_t>(slides.size(), 0), Groups(call.context()));
  return {PlusMissingBias(call, product)};
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
  return at::convolution(ImageFactor(call, 0), ImageFactor(call, 1), bias,
                         Each(slides, &Slide::stride), pads,
                         Each(slides, &Slide::dilation), true, extra,
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
  return PlusBias(call, call.FromFactors(Padded(all, margins)));
}

std::vector<at::Tensor> ConvTranspose(const OpCall& call) {
  const std::vector<Slide> slides = ConvTransposeSlides(call.context());
  if (!std::all_of(slides.begin(), slides.end(), IsNative)) {
    return {CutTransposed(call, slides)};
  }
  std::vector<int64_t> extra;
  for (const Slide& slide : slides) extra.push_back(Missing(slide));
  return {
      PlusMissingBias(call, Transposed(call, slides, NativeBias(call),
                                       Each(slides, &Slide::begin), extra))};
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
