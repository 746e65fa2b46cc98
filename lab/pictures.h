// Pictures of photographs: decoded from JPEG files, resized and cropped as
// torchvision does before a network for ImageNet sees them.

#ifndef REBASIN_LAB_PICTURES_H_
#define REBASIN_LAB_PICTURES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rebasin::lab {

// Red, green and blue bytes of one pixel after another, row by row.
struct RgbPicture {
  int64_t width = 0, height = 0;
  std::vector<uint8_t> rgb = {};
};

// True for the first bytes of a JPEG file.
bool IsJpeg(std::span<const std::byte> file);

// Decodes a JPEG file; grey ones and those in CMYK are converted. Throws
// Error(kBadInput) if it is damaged or incomplete, Error(kLimit) for more than
// 100 million pixels.
RgbPicture DecodeJpeg(std::span<const std::byte> file,
                      const std::string& source);

// Returns the picture with a shorter side of `side` pixels: a triangle filter
// that covers all pixels of the original, as of PIL.
RgbPicture WithShorterSide(const RgbPicture& picture, int64_t side);

// Returns the middle. Requires both sides to be at least `side`.
RgbPicture CentreOf(const RgbPicture& picture, int64_t side);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_PICTURES_H_
