#include "data/augment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

std::vector<float> RandomImage(const Shape& shape, uint64_t seed) {
  Random random(seed);
  std::vector<float> image(static_cast<size_t>(shape[0] * shape[1] * shape[2]));
  for (float& value : image) value = static_cast<float>(random.Normal());
  return image;
}

std::vector<float> Counted(size_t channels) {
  std::vector<float> values(channels);
  for (size_t i = 0; i < channels; ++i) values[i] = static_cast<float>(i) + 10;
  return values;
}

std::vector<float> Sampled(const Shape& shape, const AffineMap& map,
                           std::vector<float> image) {
  const Augmenter augmenter({.flip = true}, shape,
                            Counted(static_cast<size_t>(shape[0])));
  Augmenter::Scratch scratch;
  augmenter.Sample(map, image, scratch);
  return image;
}

// The definition: weights of the four neighbours, pixel by pixel.
std::vector<float> Reference(const Shape& shape, const AffineMap& map,
                             const std::vector<float>& image) {
  const int64_t height = shape[1], width = shape[2];
  const auto pixel = [&](int64_t c, double y, double x) -> double {
    if (y < 0 || x < 0 || y >= static_cast<double>(height) ||
        x >= static_cast<double>(width)) {
      return static_cast<double>(c) + 10;
    }
    const int64_t at = (c * height + static_cast<int64_t>(y)) * width +
                       static_cast<int64_t>(x);
    return image[static_cast<size_t>(at)];
  };
  std::vector<float> out;
  for (int64_t c = 0; c < shape[0]; ++c) {
    for (int64_t v = 0; v < height; ++v) {
      for (int64_t u = 0; u < width; ++u) {
        const double du = static_cast<double>(u), dv = static_cast<double>(v);
        const double x = map.xx * du + map.xy * dv + map.x0;
        const double y = map.yx * du + map.yy * dv + map.y0;
        const double left = std::floor(x), top = std::floor(y);
        const double fx = x - left, fy = y - top;
        out.push_back(
            static_cast<float>((1 - fy) * ((1 - fx) * pixel(c, top, left) +
                                           fx * pixel(c, top, left + 1)) +
                               fy * ((1 - fx) * pixel(c, top + 1, left) +
                                     fx * pixel(c, top + 1, left + 1))));
      }
    }
  }
  return out;
}

const std::vector<Shape> kShapes = {{1, 1, 1}, {1, 28, 28}, {3, 32, 32},
                                    {3, 5, 9}, {4, 6, 3},   {7, 4, 4}};

TEST(Augmenter, IdentityChangesNoByte) {
  for (const Shape& shape : kShapes) {
    const auto image = RandomImage(shape, 1);
    EXPECT_EQ(Sampled(shape, {}, image), image);
    const AffineMap drawn = DrawMap({}, shape[2], shape[1], 5);
    EXPECT_EQ(Sampled(shape, drawn, image), image);
  }
}

TEST(Augmenter, SamplesAsDefined) {
  for (const Shape& shape : kShapes) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      const AffineMap map =
          DrawMap(PaperAugmentation(), shape[2], shape[1], seed);
      const auto image = RandomImage(shape, seed);
      const auto expected = Reference(shape, map, image);
      const auto found = Sampled(shape, map, image);
      for (size_t i = 0; i < found.size(); ++i) {
        ASSERT_NEAR(found[i], expected[i], 2e-4) << i;
      }
    }
  }
}

TEST(Augmenter, PlacesFarOutsideAreOutside) {
  const Shape shape = {2, 4, 4};
  for (const double far : {-1e9, 1e9, 1e30}) {
    const auto image =
        Sampled(shape, {.x0 = far, .y0 = 2}, RandomImage(shape, 1));
    for (size_t i = 0; i < image.size(); ++i) {
      EXPECT_EQ(image[i], i < 16 ? 10 : 11);
    }
  }
}

TEST(Augmenter, FlipMirrorsTheRows) {
  const Shape shape = {1, 2, 3};
  bool seen[2] = {};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto image =
        Sampled(shape, DrawMap({.flip = true}, 3, 2, seed), {1, 2, 3, 4, 5, 6});
    const bool flipped = image[0] == 3;
    seen[flipped ? 1 : 0] = true;
    EXPECT_EQ(image, flipped ? (std::vector<float>{3, 2, 1, 6, 5, 4})
                             : (std::vector<float>{1, 2, 3, 4, 5, 6}));
  }
  EXPECT_TRUE(seen[0] && seen[1]);
}

TEST(DrawMap, RotatesAndResizesAroundTheCentre) {
  const Augmentation augmentation = {
      .min_scale = 0.5, .max_scale = 2, .degrees = 90};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const AffineMap map = DrawMap(augmentation, 9, 5, seed);
    EXPECT_NEAR(map.xx * 4 + map.xy * 2 + map.x0, 4, 1e-12);
    EXPECT_NEAR(map.yx * 4 + map.yy * 2 + map.y0, 2, 1e-12);
    const double area = map.xx * map.yy - map.xy * map.yx;
    EXPECT_GE(area, 0.25 - 1e-12);
    EXPECT_LE(area, 4 + 1e-12);
  }
}

TEST(DrawMap, CropStaysWithinTheResizedImage) {
  const Augmentation augmentation = {
      .min_scale = 1.25, .max_scale = 1.25, .crop = true};
  double least = 9, most = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const AffineMap map = DrawMap(augmentation, 10, 10, seed);
    // Edges of the window, in pixels of the image: -0.5 to 9.5 is all of it.
    const double left = map.xx * -0.5 + map.x0;
    const double right = map.xx * 9.5 + map.x0;
    EXPECT_GE(left, -0.5 - 1e-9);
    EXPECT_LE(right, 9.5 + 1e-9);
    least = std::min(least, left);
    most = std::max(most, right);
  }
  EXPECT_LT(least, -0.4);
  EXPECT_GT(most, 9.4);
}

TEST(DrawMap, DependsOnTheSeedAlone) {
  const auto draw = [](uint64_t seed) {
    return DrawMap(PaperAugmentation(), 32, 32, seed);
  };
  EXPECT_EQ(draw(3).x0, draw(3).x0);
  EXPECT_NE(draw(3).x0, draw(4).x0);
}

TEST(Augmenter, RefusesWhatCannotBeDone) {
  const auto make = [](const Augmentation& augmentation, const Shape& shape) {
    Augmenter(augmentation, shape, {0});
  };
  EXPECT_NO_THROW(make({}, {12}));
  ExpectError(ErrorCode::kUsage, {"[12]", "no images"},
              [&] { make({.flip = true}, {12}); });
  for (const Augmentation& bad :
       {Augmentation{.min_scale = 0}, Augmentation{.min_scale = 2},
        Augmentation{.degrees = -1}, Augmentation{.degrees = std::nan("")},
        Augmentation{.max_scale = INFINITY}}) {
    ExpectError(ErrorCode::kUsage, {"augmentation"}, [&] {
      make(bad, {1, 2, 2});
    });
  }
}

}  // namespace
}  // namespace rebasin
