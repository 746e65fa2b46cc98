// Convolutions. LibTorch pads both ends of an axis equally; for other padding,
// pads and crops in separate steps.

#include <ATen/ATen.h>

#include <algorithm>

#include "graph/ops/window.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

// One member of each slide.
std::vector<int64_t> Each(const std::vector<Slide>& slides,
                          int64_t Slide::*member) {
  std::vector<int64_t> numbers;
  for (const Slide& slide : slides) numbers.push_back(slide.*member);
  return numbers;
}

// True if the places are the same with padding that is equal at both ends:
// padding after the last place has no effect.
bool SamePlaces(const Slide& slide) {
  const int64_t room = slide.size + 2 * slide.begin - slide.extent();
  return room >= 0 && room / slide.stride + 1 == slide.count;
}

// With rounded factors, channels-last images are faster to convolve, and norms
// over channels read adjacent values.
at::Tensor ImageFactor(const OpCall& call, size_t input) {
  return call.Factor(input, call.context().rank(0) == 4
                                ? at::MemoryFormat::ChannelsLast
                                : at::MemoryFormat::Preserve);
}

// Adds the bias of each channel.
at::Tensor PlusBias(const OpCall& call, const at::Tensor& x) {
  if (!call.Has(2)) return x;
  std::vector<int64_t> channels(x.dim(), 1);
  channels[1] = x.size(1);
  return x + call[2].reshape(channels);
}

// The bias if LibTorch can add it: it must have the type of the factors.
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

// The extent of the windows of a transposed convolution.
int64_t Reach(const Slide& slide) {
  return (slide.count - 1) * slide.stride + slide.extent();
}

// The output padding that LibTorch needs if it crops `begin` at both ends.
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

// The full result of the windows, cropped or padded to the output. The bias is
// added last, because it also applies where no window reaches.
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

// LibTorch supports images of up to three axes, with channels.
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
