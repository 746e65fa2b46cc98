// Images as sequences of patches.

#ifndef REBASIN_ZOO_FAMILIES_PATCHES_H_
#define REBASIN_ZOO_FAMILIES_PATCHES_H_

#include <string>
#include <vector>

#include "zoo/families/net.h"

namespace rebasin::zoo {

// "image_size", "patch_size" and "num_channels", checked.
struct ImageSizes {
  int64_t image = 0, patch = 0, channels = 3;
  int64_t across() const { return image / patch; }
  int64_t patches() const { return across() * across(); }
};
ImageSizes ReadImageSizes(const FamilyConfig& config);

// The input "pixel_values".
ValueId PixelInput(GraphBuilder& g, const ImageSizes& sizes);

// [batch, patch, width]
ValueId Patches(GraphBuilder& g, const std::string& name, ValueId images,
                const ImageSizes& sizes, int64_t width, bool bias = true);

// Adds tokens in front of each sequence: weights of `width` elements.
ValueId WithTokens(GraphBuilder& g, const std::vector<std::string>& names,
                   const Shape& shape, ValueId x);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_PATCHES_H_
