// GridSample, RoiAlign and NonMaxSuppression; the numbers are those of PyTorch
// and torchvision.

#include <gtest/gtest.h>

#include <limits>

#include "graph/run_op.h"

namespace rebasin::testing {
namespace {

Attribute Text(std::string text) { return text; }

Array Image() {
  return Floats({1, 1, 3, 4}, {1, 4, 2, 2, 4, 1, 0, 1, 4, 2, 2, 4});
}

Array Places() {
  return Floats({1, 1, 5, 2}, {-1, -1, -.3, .4, .9, -.75, 1.4, .2, -2.6, 1.7});
}

struct GridCase {
  const char* mode;
  const char* padding;
  int64_t align_corners;
  std::vector<double> values;
};

const GridCase kGridCases[] = {
    {"bilinear", "zeros", 0, {0.25, 1.84, 1.225, 0, 0}},
    {"bilinear", "zeros", 1, {1, 1.37, 1.7125, 0.64, 0}},
    {"bilinear", "border", 0, {1, 1.84, 2, 1.9, 4}},
    {"bilinear", "border", 1, {1, 1.37, 1.7125, 1.6, 4}},
    {"bilinear", "reflection", 0, {1, 1.84, 2, 1.51, 1.915}},
    {"bilinear", "reflection", 1, {1, 1.37, 1.7125, 0.88, 1.12}},
    {"nearest", "zeros", 0, {1, 2, 2, 0, 0}},
    {"nearest", "zeros", 1, {1, 1, 2, 0, 0}},
    {"nearest", "border", 0, {1, 2, 2, 1, 4}},
    {"nearest", "border", 1, {1, 1, 2, 1, 4}},
    {"nearest", "reflection", 0, {1, 2, 2, 1, 1}},
    {"nearest", "reflection", 1, {1, 1, 2, 0, 0}},
    {"bicubic", "zeros", 0, {-0.083984375, 1.9115231, 1.33516, -0.2112114, 0}},
    {"bicubic", "zeros", 1, {1, 1.0700612, 1.9782183, 0.687904, 0}},
    {"bicubic", "border", 0, {0.384765625, 1.6464371, 2.0638639, 1.72675, 4}},
    {"bicubic", "border", 1, {1, 0.9311912, 1.6175865, 1.523584, 4}},
    {"bicubic",
     "reflection",
     0,
     {-0.3359375, 1.6464371, 2.0691113, 1.3102914, 1.7765794}},
    {"bicubic",
     "reflection",
     1,
     {1, 1.0083302, 1.7419946, 0.7281281, 1.0319316}},
};

TEST(GridSample, ReadsAsPyTorchDoes) {
  for (const GridCase& each : kGridCases) {
    SCOPED_TRACE(std::string(each.mode) + " " + each.padding + " " +
                 std::to_string(each.align_corners));
    const Array result = RunOp("GridSample", {Image(), Places()},
                               {{"mode", Text(each.mode)},
                                {"padding_mode", Text(each.padding)},
                                {"align_corners", each.align_corners}});
    ASSERT_EQ(result.shape, (Shape{1, 1, 1, 5}));
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(result.values()[i], each.values[i], 1e-6) << i;
    }
  }
}

TEST(GridSample, SurvivesPlacesThatAreNoPlaces) {
  const double inf = std::numeric_limits<double>::infinity();
  const Array places = Floats({1, 1, 2, 2}, {inf, 0, 1e300, -1e300});
  for (const char* padding : {"zeros", "border", "reflection"}) {
    const Array result = RunOp("GridSample", {Image(), places},
                               {{"padding_mode", Text(padding)}});
    EXPECT_TRUE(std::isnan(result.values()[0]));
    EXPECT_TRUE(std::isfinite(result.values()[1]));
  }
}

TEST(GridSample, RefusesGridsThatDoNotFit) {
  ExpectBad("GridSample", {Image(), Floats({1, 1, 1, 3}, {0, 0, 0})}, {},
            {"does not fit [1, 1, 3, 4]"});
  ExpectBad("GridSample", {Image(), Places()}, {{"mode", Text("sharp")}},
            {"sharp"});
}

Array Boxes() {
  return Floats({3, 4}, {.5, .2, 3.1, 2.6, -1.5, -1.5, 1, 1, 2, 1, 9, 7});
}

Array Align(const char* mode, int64_t sampling) {
  return RunOp("RoiAlign", {Image(), Boxes(), Integers({0, 0, 0})},
               {{"output_height", int64_t{2}},
                {"output_width", int64_t{2}},
                {"sampling_ratio", sampling},
                {"spatial_scale", 0.8},
                {"coordinate_transformation_mode", Text(mode)}});
}

void ExpectNear(const Array& array, const std::vector<double>& values) {
  ASSERT_EQ(array.values().size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(array.values()[i], values[i], 1e-6) << i;
  }
}

TEST(RoiAlign, ReadsAsTorchvisionDoes) {
  ExpectNear(Align("output_half_pixel", 0),
             {2.10040006, 0.994400046, 1.97199997, 1.43599985, 1, 1.9, 1.9,
              2.26, 2.66074074, 0, 0, 0});
  ExpectNear(Align("output_half_pixel", 2),
             {2.10040006, 0.994400046, 1.97199997, 1.43599985, 1, 1.9, 1.9,
              2.26, 2.505, 0, 0, 0});
  ExpectNear(Align("half_pixel", 0),
             {2.32719995, 2.72440015, 2.78200003, 0.685999969, 0, 0, 0, 1,
              1.98666667, 0, 0, 0});
  ExpectNear(Align("half_pixel", 2),
             {2.35119996, 2.59740014, 2.77780002, 0.966000062, 0.25, 0.5375,
              0.5375, 1.14625, 1.88, 0, 0, 0});
}

TEST(RoiAlign, RefusesWhatIsTooLargeOrNotKnown) {
  ExpectUnsupported("RoiAlign",
                    {Image(), Floats({1, 4}, {0, 0, 1e12, 1}), Integers({0})},
                    {}, {"too large"});
  ExpectUnsupported("RoiAlign", {Image(), Boxes(), Integers({0, 0, 0})},
                    {{"mode", Text("max")}}, {"max"});
  ExpectBad("RoiAlign", {Image(), Boxes(), Integers({0, 0, 1})}, {},
            {"index 1 is out of range"});
  ExpectBad("RoiAlign", {Image(), Boxes(), Integers({0})}, {}, {"do not fit"});
}

// The shape is known only when it is run.
std::vector<double> Suppress(double overlap, double most = 10) {
  const Array boxes = Floats({1, 5, 4}, {0, 0, 2, 2, .1, 0, 2.1, 2, 3, 3,
                                         4, 4, 0, 0, 2,  1, 3,   3, 4, 4.1});
  const Array scores = Floats({1, 1, 5}, {.5, .9, .3, .8, .3});
  const Array result = RunOp(
      "NonMaxSuppression",
      {boxes, scores, Integer(most), Floats({}, {overlap}), Floats({}, {.1})});
  std::vector<double> chosen;
  for (size_t i = 2; i < result.values().size(); i += 3) {
    chosen.push_back(result.values()[i]);
  }
  return chosen;
}

TEST(NonMaxSuppression, KeepsTheBestOfThoseThatOverlap) {
  using ::testing::ElementsAre;
  EXPECT_THAT(Suppress(.3), ElementsAre(1, 2));
  EXPECT_THAT(Suppress(.5), ElementsAre(1, 3, 2));
  EXPECT_THAT(Suppress(.5, 1), ElementsAre(1));
}

TEST(NonMaxSuppression, RefusesScoresThatDoNotFit) {
  ExpectBad("NonMaxSuppression",
            {Floats({1, 1, 4}, {0, 0, 1, 1}), Floats({1, 1, 2}, {1, 2})}, {},
            {"do not fit"});
}

}  // namespace
}  // namespace rebasin::testing
