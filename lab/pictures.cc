#include "lab/pictures.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rebasin::lab {
namespace {

constexpr size_t kColours = 3;

// The part of a line of pixels that makes one new pixel.
struct Window {
  size_t first = 0;
  std::vector<float> shares = {};  // they sum to 1
};

// When a picture shrinks, the triangle is as wide as two new pixels, so that no
// old pixel is left out.
std::vector<Window> Windows(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(scale, 1.0);
  std::vector<Window> windows;
  for (int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(
        0, static_cast<int64_t>(std::floor(centre - reach + 0.5)));
    const auto last = std::min<int64_t>(
        from, static_cast<int64_t>(std::floor(centre + reach + 0.5)));
    Window window{.first = static_cast<size_t>(first)};
    double sum = 0;
    for (int64_t at = first; at < last; ++at) {
      const double distance =
          std::abs(static_cast<double>(at) + 0.5 - centre) / reach;
      window.shares.push_back(static_cast<float>(std::max(0.0, 1 - distance)));
      sum += window.shares.back();
    }
    for (float& share : window.shares) share /= static_cast<float>(sum);
    windows.push_back(std::move(window));
  }
  return windows;
}

uint8_t Rounded(float value) {
  return static_cast<uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

// One new pixel of a line whose pixels are `step` bytes apart.
void Blend(const uint8_t* line, size_t step, const Window& window,
           uint8_t* out) {
  for (size_t colour = 0; colour < kColours; ++colour) {
    float sum = 0;
    for (size_t i = 0; i < window.shares.size(); ++i) {
      sum += window.shares[i] *
             static_cast<float>(line[(window.first + i) * step + colour]);
    }
    out[colour] = Rounded(sum);
  }
}

RgbPicture Empty(int64_t width, int64_t height) {
  RgbPicture picture{.width = width, .height = height};
  picture.rgb.resize(kColours * static_cast<size_t>(width * height));
  return picture;
}

uint8_t* Pixel(RgbPicture& picture, size_t x, size_t y) {
  return &picture.rgb[kColours * (y * static_cast<size_t>(picture.width) + x)];
}
const uint8_t* Pixel(const RgbPicture& picture, size_t x, size_t y) {
  return &picture.rgb[kColours * (y * static_cast<size_t>(picture.width) + x)];
}

RgbPicture Resized(const RgbPicture& picture, int64_t width, int64_t height) {
  const auto columns = Windows(picture.width, width);
  const auto rows = Windows(picture.height, height);
  RgbPicture wide = Empty(width, picture.height);
  for (size_t y = 0; y < static_cast<size_t>(picture.height); ++y) {
    for (size_t x = 0; x < columns.size(); ++x) {
      Blend(Pixel(picture, 0, y), kColours, columns[x], Pixel(wide, x, y));
    }
  }
  RgbPicture out = Empty(width, height);
  const size_t pitch = kColours * static_cast<size_t>(width);
  for (size_t y = 0; y < rows.size(); ++y) {
    for (size_t x = 0; x < columns.size(); ++x) {
      Blend(Pixel(std::as_const(wide), x, 0), pitch, rows[y], Pixel(out, x, y));
    }
  }
  return out;
}

}  // namespace

RgbPicture WithShorterSide(const RgbPicture& picture, int64_t side) {
  const int64_t shorter = std::min(picture.width, picture.height);
  if (shorter == side) return picture;
  return Resized(picture, side * picture.width / shorter,
                 side * picture.height / shorter);
}

RgbPicture CentreOf(const RgbPicture& picture, int64_t side) {
  // Halves are rounded to even numbers, as by Python.
  const auto start = [side](int64_t length) {
    return static_cast<int64_t>(
        std::nearbyint(static_cast<double>(length - side) / 2));
  };
  const auto left = static_cast<size_t>(start(picture.width));
  const auto top = static_cast<size_t>(start(picture.height));
  RgbPicture out = Empty(side, side);
  for (size_t y = 0; y < static_cast<size_t>(side); ++y) {
    std::copy_n(Pixel(picture, left, top + y),
                kColours * static_cast<size_t>(side), Pixel(out, 0, y));
  }
  return out;
}

}  // namespace rebasin::lab
