// Images resized, rotated, flipped and cropped at random, all in one sampling.

#ifndef REBASIN_DATA_AUGMENT_H_
#define REBASIN_DATA_AUGMENT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "rebasin/nn/data.h"

namespace rebasin {

// Where a pixel of the result comes from: x' = xx * x + xy * y + x0, and y'
// alike; whole numbers are the centres of pixels.
struct AffineMap {
  double xx = 1, xy = 0, x0 = 0;
  double yx = 0, yy = 1, y0 = 0;
};

// Drawn by `seed` alone. Factors are drawn on a logarithmic scale, so that
// shrinking is as likely as enlarging by as much.
AffineMap DrawMap(const Augmentation& augmentation, int64_t width,
                  int64_t height, uint64_t seed);

class Augmenter {
 public:
  // Memory that is used again; one for each thread.
  struct Scratch;

  // `outside` is the value around an image, for each of its channels. Throws
  // Error(kUsage) if the examples are no images or the parameters impossible.
  Augmenter(const Augmentation& augmentation, const Shape& example_shape,
            std::vector<float> outside);

  // Whether there is anything to do.
  bool any() const { return augmentation_.any(); }

  // Replaces an image by an augmented version.
  void Apply(uint64_t seed, std::span<float> image, Scratch& scratch) const;
  // The same with a given map, sampled with bilinear weights.
  void Sample(const AffineMap& map, std::span<float> image,
              Scratch& scratch) const;

 private:
  void FillPadded(std::span<const float> image, size_t first_channel,
                  Scratch& scratch) const;
  void SampleChannels(const AffineMap& map, std::span<float> image,
                      size_t first_channel, const Scratch& scratch) const;

  Augmentation augmentation_;
  std::vector<float> outside_;
  size_t height_ = 0, width_ = 0;
};

// Four channels side by side: one vector operation does them all, and each of
// the four neighbours of a place is one load.
using FourChannels = float __attribute__((vector_size(16)));

struct Augmenter::Scratch {
  std::vector<FourChannels> padded;
};

}  // namespace rebasin

#endif  // REBASIN_DATA_AUGMENT_H_
