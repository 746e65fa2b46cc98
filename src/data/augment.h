// Resizes, rotates, flips and crops images at random, in one sampling.

#ifndef REBASIN_DATA_AUGMENT_H_
#define REBASIN_DATA_AUGMENT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "rebasin/nn/data.h"

namespace rebasin {

// The source of a pixel of the result: x' = xx * x + xy * y + x0, and y' in the
// same way. Integers are the centres of pixels.
struct AffineMap {
  double xx = 1, xy = 0, x0 = 0;
  double yx = 0, yy = 1, y0 = 0;
};

// Draws a map from `seed` alone. Factors are uniform on a logarithmic scale, so
// that shrinking and enlarging are equally likely.
AffineMap DrawMap(const Augmentation& augmentation, int64_t width,
                  int64_t height, uint64_t seed);

class Augmenter {
 public:
  // Reusable memory; one for each thread.
  struct Scratch;

  // `outside` is the value around an image, for each channel. Throws
  // Error(kUsage) if the examples are not images or the parameters are out of
  // range.
  Augmenter(const Augmentation& augmentation, const Shape& example_shape,
            std::vector<float> outside);

  // True if there is any change to apply.
  bool any() const { return augmentation_.any(); }

  // Replaces an image by its augmented version.
  void Apply(uint64_t seed, std::span<float> image, Scratch& scratch) const;
  // The same with a given map; samples with bilinear weights.
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

// Four channels together: one vector operation processes them all, and each of
// the four neighbours of a position is one load.
using FourChannels = float __attribute__((vector_size(16)));

struct Augmenter::Scratch {
  std::vector<FourChannels> padded;
};

}  // namespace rebasin

#endif  // REBASIN_DATA_AUGMENT_H_
