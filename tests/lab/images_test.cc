#include "lab/images.h"

#include <gtest/gtest.h>

namespace rebasin::lab {
namespace {

std::vector<float> Values(const Dataset& data, int64_t example) {
  std::vector<float> values(static_cast<size_t>(data.example_size()));
  ReadBatch(data, {}, example, 1, values, nullptr);
  return values;
}

Dataset TwoImages() {
  return Dataset("two", {1, 2, 2}, std::vector<float>{0, 1, 2, 3, 5, 5, 5, 5},
                 {1, 0}, 2);
}

TEST(ImagesTest, AreInterpolatedBetweenCentres) {
  const Dataset large = Resized(TwoImages(), 4);
  EXPECT_EQ(large.example_shape(), (Shape{1, 4, 4}));
  const std::vector<float> first = Values(large, 0);
  EXPECT_FLOAT_EQ(first[0], 0);
  EXPECT_FLOAT_EQ(first[1], 0.25);
  EXPECT_FLOAT_EQ(first[3], 1);
  EXPECT_FLOAT_EQ(first[4], 0.5);
  EXPECT_FLOAT_EQ(first[15], 3);
  EXPECT_EQ(Values(large, 1), std::vector<float>(16, 5));
}

TEST(ImagesTest, KeepTheirLabels) {
  const Dataset large = Resized(TwoImages(), 3);
  ASSERT_EQ(large.size(), 2);
  EXPECT_EQ(large.label(0), 1);
  EXPECT_EQ(large.label(1), 0);
  EXPECT_EQ(large.classes(), 2);
}

TEST(ImagesTest, OfTheSameSizeStayAsTheyAre) {
  EXPECT_EQ(Values(Resized(TwoImages(), 2), 0), Values(TwoImages(), 0));
}

TEST(ImagesTest, BecomeThreeEqualChannels) {
  const Dataset colour = AsColour(TwoImages());
  EXPECT_EQ(colour.example_shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(Values(colour, 0),
            (std::vector<float>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(colour.label(0), 1);
}

}  // namespace
}  // namespace rebasin::lab
