#include <gtest/gtest.h>

#include "graph/run_op.h"

namespace rebasin::testing {
namespace {

Attribute Text(std::string text) { return text; }

Array Line() { return Floats({4}, {0, 10, 20, 30}); }

Array ToSize(double size, const Attributes& attributes) {
  return RunOp("Resize", {Line(), kNone, kNone, Integers({size})}, attributes);
}

Array ByScale(double scale, const Attributes& attributes) {
  return RunOp("Resize", {Line(), kNone, Floats({1}, {scale})}, attributes);
}

TEST(Resize, TakesTheNearest) {
  EXPECT_THAT(ToSize(8, {}), Is({8}, {0, 0, 10, 10, 20, 20, 30, 30}));
  const Attributes asymmetric = {
      {"coordinate_transformation_mode", Text("asymmetric")}};
  EXPECT_THAT(ToSize(2, asymmetric), Is({2}, {0, 20}));
}

TEST(Resize, RoundsToTheNearestInFourWays) {
  const auto nearest = [](const char* mode) {
    return ToSize(8, {{"coordinate_transformation_mode", Text("asymmetric")},
                      {"nearest_mode", Text(mode)}});
  };
  EXPECT_THAT(nearest("floor"), Is({8}, {0, 0, 10, 10, 20, 20, 30, 30}));
  EXPECT_THAT(nearest("ceil"), Is({8}, {0, 10, 10, 20, 20, 30, 30, 30}));
  EXPECT_THAT(nearest("round_prefer_floor"),
              Is({8}, {0, 0, 10, 10, 20, 20, 30, 30}));
  EXPECT_THAT(nearest("round_prefer_ceil"),
              Is({8}, {0, 10, 10, 20, 20, 30, 30, 30}));
}

TEST(Resize, InterpolatesLinearly) {
  const auto linear = [](double size, const char* coordinates) {
    return ToSize(size,
                  {{"mode", Text("linear")},
                   {"coordinate_transformation_mode", Text(coordinates)}});
  };
  EXPECT_THAT(linear(2, "half_pixel"), Is({2}, {5, 25}));
  EXPECT_THAT(linear(8, "half_pixel"),
              Is({8}, {0, 2.5, 7.5, 12.5, 17.5, 22.5, 27.5, 30}));
  EXPECT_THAT(linear(7, "align_corners"), Is({7}, {0, 5, 10, 15, 20, 25, 30}));
  EXPECT_THAT(linear(1, "half_pixel"), Is({1}, {15}));
  EXPECT_THAT(linear(1, "pytorch_half_pixel"), Is({1}, {0}));
  EXPECT_THAT(linear(1, "align_corners"), Is({1}, {0}));
}

TEST(Resize, InterpolatesCubically) {
  // Halfway between 10 and 20, where the kernel is symmetric.
  const Attributes cubic = {
      {"mode", Text("cubic")},
      {"coordinate_transformation_mode", Text("align_corners")}};
  EXPECT_THAT(ToSize(7, cubic).values()[3], ::testing::DoubleEq(15));
  EXPECT_THAT(
      ToSize(4, {{"mode", Text("cubic")}, {"exclude_outside", int64_t{1}}}),
      Is({4}, {0, 10, 20, 30}));
}

TEST(Resize, ScalesAreRoundedDown) {
  EXPECT_THAT(ByScale(0.6, {}).shape, Shape({2}));
}

TEST(Resize, KeepsTheRatioOnDemand) {
  const Array x = Iota({1, 4, 2});
  const auto kept = [&](const char* policy) {
    return RunOp("Resize", {x, kNone, kNone, Integers({8, 8})},
                 {{"axes", List({1, 2})},
                  {"keep_aspect_ratio_policy", Text(policy)}})
        .shape;
  };
  EXPECT_EQ(kept("stretch"), Shape({1, 8, 8}));
  EXPECT_EQ(kept("not_larger"), Shape({1, 8, 4}));
  EXPECT_EQ(kept("not_smaller"), Shape({1, 16, 8}));
}

TEST(Resize, RefusesWhatMakesNoSense) {
  ExpectBad("Resize", {Line()}, {}, {"neither scales nor sizes"});
  ExpectBad("Resize", {Line(), kNone, kNone, Integers({1, 2})}, {},
            {"do not fit [4]"});
  ExpectBad("Resize", {Line(), kNone, kNone, Integers({-1})}, {},
            {"out of range"});
  const Array three = Floats({3}, {0, 0, 0});
  ExpectUnsupported("Resize", {three, kNone, kNone, Integers({1})},
                    {{"antialias", int64_t{1}}}, {"antialias"});
  ExpectUnsupported(
      "Resize", {three, kNone, kNone, Integers({1})},
      {{"coordinate_transformation_mode", Text("tf_crop_and_resize")}},
      {"tf_crop_and_resize"});
}

TEST(Resize, IsNotKnownWithoutItsSizes) {
  EXPECT_FALSE(InferOp("Resize", {Line(), kNone, kNone, Integers({2})}).known);
}

}  // namespace
}  // namespace rebasin::testing
