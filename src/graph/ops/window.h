// The sliding windows of convolutions and pooling.

#ifndef REBASIN_GRAPH_OPS_WINDOW_H_
#define REBASIN_GRAPH_OPS_WINDOW_H_

#include <array>
#include <cstdint>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

// How a window moves along one axis.
struct Slide {
  int64_t size = 1;    // of the input
  int64_t kernel = 1;  // of the window
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t begin = 0;  // padding before
  int64_t end = 0;    // and after
  int64_t count = 1;  // number of places, which is the size of the output

  // The range that the window covers, including gaps.
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  // The input index at window element k and place `place`; may be in the
  // padding.
  int64_t At(int64_t place, int64_t k) const {
    return place * stride + k * dilation - begin;
  }
  bool Inside(int64_t index) const { return index >= 0 && index < size; }
};

// Reads the attributes strides, dilations and pads into one slide for each
// spatial axis of input 0 (the third and following), without `count`. Throws
// context.Bad if they do not fit, or are so large that extents could overflow.
std::vector<Slide> ReadSlides(const OpContext& context,
                              const std::vector<int64_t>& kernel);

// Sets the counts, and with auto_pad the padding. Throws context.Bad if the
// input is smaller than the window.
void PlaceWindows(const OpContext& context, std::vector<Slide>& slides);

// Prepends axes of size 1, up to three slides. Throws Error(kUnsupported) if
// there are more than three.
std::array<Slide, 3> InThreeDimensions(const OpContext& context,
                                       const std::vector<Slide>& slides);

// The slides of Conv and of pooling, with their counts.
std::vector<Slide> ConvSlides(const OpContext& context);
std::vector<Slide> PoolSlides(const OpContext& context);
// The slides of the convolution that ConvTranspose transposes: they move over
// the output, and have one place for each element of the input.
std::vector<Slide> ConvTransposeSlides(const OpContext& context);

// The batch size of input 0, `channels`, then the counts of the slides.
Shape WindowShape(const OpContext& context, int64_t channels,
                  const std::vector<Slide>& slides);

// The attribute `group` of convolutions, at least 1.
int64_t Groups(const OpContext& context);

// The initial output of a convolution: input 2 (the bias) for each channel, or
// zeros if it is omitted.
std::vector<double> BiasOrZeros(const OpContext& context, const Shape& shape);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_WINDOW_H_
