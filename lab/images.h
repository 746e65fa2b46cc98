// Images of other sizes and numbers of channels.

#ifndef REBASIN_LAB_IMAGES_H_
#define REBASIN_LAB_IMAGES_H_

#include "rebasin/nn/data.h"

namespace rebasin::lab {

// Returns the images at `side` x `side` pixels, by bilinear interpolation
// between the centres of pixels. Requires images.
Dataset Resized(const Dataset& images, int64_t side);

// Returns the images with their only channel three times. Requires images of
// one channel.
Dataset AsColour(const Dataset& images);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_IMAGES_H_
