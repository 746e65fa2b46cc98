#include "data/augment.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "base/random.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr size_t kLanes = 4;
// Border around the image: one pixel before it, so that positions up to one
// pixel outside fade out, and two after it, so that such positions have a right
// neighbour.
constexpr size_t kBefore = 1;
constexpr size_t kPadding = 3;

void CheckParameters(const Augmentation& a) {
  if (a.min_scale > 0 && a.max_scale >= a.min_scale &&
      std::isfinite(a.max_scale) && a.degrees >= 0 &&
      std::isfinite(a.degrees)) {
    return;
  }
  throw Error(ErrorCode::kUsage,
              "augmentation by scales from " + std::to_string(a.min_scale) +
                  " to " + std::to_string(a.max_scale) + " and " +
                  std::to_string(a.degrees) +
                  " degrees: scales must be positive and in order, degrees "
                  "not negative");
}

// Uniform in [-1, 1).
double Symmetric(Random& random) { return 2 * random.Uniform() - 1; }

}  // namespace

bool Augmentation::any() const {
  return min_scale != 1 || max_scale != 1 || degrees != 0 || flip || crop;
}

Augmentation PaperAugmentation() {
  return {.min_scale = 0.8,
          .max_scale = 1.2,
          .degrees = 30,
          .flip = true,
          .crop = true};
}

AffineMap DrawMap(const Augmentation& augmentation, int64_t width,
                  int64_t height, uint64_t seed) {
  Random random(seed);
  // All random numbers are drawn even if unused, so that disabling one change
  // does not affect the others.
  const double log_least = std::log(augmentation.min_scale);
  const double log_most = std::log(augmentation.max_scale);
  const double scale =
      std::exp(log_least + (log_most - log_least) * random.Uniform());
  const double angle =
      Symmetric(random) * augmentation.degrees * std::numbers::pi / 180;
  const bool flip = random.Uniform() < 0.5 && augmentation.flip;
  // The window may be anywhere inside the resized image, or the image anywhere
  // inside the window if it is smaller.
  const double room = augmentation.crop ? std::abs(scale - 1) / 2 : 0;
  const double shift_x = Symmetric(random) * room * static_cast<double>(width);
  const double shift_y = Symmetric(random) * room * static_cast<double>(height);

  const double cosine = std::cos(angle) / scale;
  const double sine = std::sin(angle) / scale;
  const double mirror = flip ? -1 : 1;
  const double centre_x = static_cast<double>(width - 1) / 2;
  const double centre_y = static_cast<double>(height - 1) / 2;
  AffineMap map = {.xx = mirror * cosine,
                   .xy = mirror * sine,
                   .x0 = centre_x,
                   .yx = -sine,
                   .yy = cosine,
                   .y0 = centre_y};
  // Rotates around the image centre, in coordinates of the window.
  map.x0 += map.xx * (shift_x - centre_x) + map.xy * (shift_y - centre_y);
  map.y0 += map.yx * (shift_x - centre_x) + map.yy * (shift_y - centre_y);
  return map;
}

Augmenter::Augmenter(const Augmentation& augmentation,
                     const Shape& example_shape, std::vector<float> outside)
    : augmentation_(augmentation), outside_(std::move(outside)) {
  CheckParameters(augmentation);
  if (!augmentation.any()) return;
  if (example_shape.size() != 3) {
    throw Error(ErrorCode::kUsage, "examples of shape " +
                                       ShapeText(example_shape) +
                                       " are no images to augment");
  }
  height_ = static_cast<size_t>(example_shape[1]);
  width_ = static_cast<size_t>(example_shape[2]);
}

void Augmenter::Apply(uint64_t seed, std::span<float> image,
                      Scratch& scratch) const {
  Sample(DrawMap(augmentation_, static_cast<int64_t>(width_),
                 static_cast<int64_t>(height_), seed),
         image, scratch);
}

void Augmenter::Sample(const AffineMap& map, std::span<float> image,
                       Scratch& scratch) const {
  for (size_t first = 0; first < outside_.size(); first += kLanes) {
    FillPadded(image, first, scratch);
    SampleChannels(map, image, first, scratch);
  }
}

// Copies four channels into a frame of the outside value.
void Augmenter::FillPadded(std::span<const float> image, size_t first_channel,
                           Scratch& scratch) const {
  const size_t channels = std::min(kLanes, outside_.size() - first_channel);
  FourChannels outside = {};
  for (size_t c = 0; c < channels; ++c)
    outside[c] = outside_[first_channel + c];
  const size_t pitch = width_ + kPadding;
  scratch.padded.assign(pitch * (height_ + kPadding), outside);
  for (size_t y = 0; y < height_; ++y) {
    FourChannels* const to =
        scratch.padded.data() + (y + kBefore) * pitch + kBefore;
    for (size_t c = 0; c < channels; ++c) {
      const float* const from =
          image.data() + ((first_channel + c) * height_ + y) * width_;
      for (size_t x = 0; x < width_; ++x) to[x][c] = from[x];
    }
  }
}

// Positions far outside are moved to the frame, which has the same value, so no
// branch is needed.
void Augmenter::SampleChannels(const AffineMap& map, std::span<float> image,
                               size_t first_channel,
                               const Scratch& scratch) const {
  const size_t channels = std::min(kLanes, outside_.size() - first_channel);
  const size_t pitch = width_ + kPadding;
  const size_t plane = width_ * height_;
  const float last_x = static_cast<float>(width_ + kBefore);
  const float last_y = static_cast<float>(height_ + kBefore);
  const float step_x = static_cast<float>(map.xx);
  const float step_y = static_cast<float>(map.yx);
  float* out = image.data() + first_channel * plane;
  for (size_t row = 0; row < height_; ++row) {
    const double v = static_cast<double>(row);
    const float start_x = static_cast<float>(map.xy * v + map.x0 + kBefore);
    const float start_y = static_cast<float>(map.yy * v + map.y0 + kBefore);
    for (size_t column = 0; column < width_; ++column, ++out) {
      const float u = static_cast<float>(column);
      const float x = std::min(std::max(start_x + step_x * u, 0.0f), last_x);
      const float y = std::min(std::max(start_y + step_y * u, 0.0f), last_y);
      const int left = static_cast<int>(x);
      const int top = static_cast<int>(y);
      const float fx = x - static_cast<float>(left);
      const float fy = y - static_cast<float>(top);
      const FourChannels* const at = scratch.padded.data() +
                                     static_cast<size_t>(top) * pitch +
                                     static_cast<size_t>(left);
      const FourChannels above = at[0] + fx * (at[1] - at[0]);
      const FourChannels below = at[pitch] + fx * (at[pitch + 1] - at[pitch]);
      const FourChannels value = above + fy * (below - above);
      for (size_t c = 0; c < channels; ++c) out[c * plane] = value[c];
    }
  }
}

}  // namespace rebasin
