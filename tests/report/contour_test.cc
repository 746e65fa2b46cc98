#include "report/contour.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/picture_files.h"
#include "report/samples.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::rebasin::testing::IsPng;
using ::rebasin::testing::IsWellFormed;
using ::rebasin::testing::Landscape;
using ::rebasin::testing::PngHeight;
using ::rebasin::testing::PngWidth;
using ::rebasin::testing::Steps;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string Written(const Contour& contour, const std::string& name) {
  const TempDir folder;
  WriteContour(contour, folder / name);
  return ReadAll(folder / name);
}

Contour Small(std::vector<double> z) {
  Contour contour{.title = "small"};
  contour.x = {0, 1};
  contour.y = {0, 1};
  contour.z = std::move(z);
  return contour;
}

void ExpectDrawn(const Contour& contour) {
  EXPECT_TRUE(IsPng(Written(contour, "map.png")));
  EXPECT_TRUE(IsWellFormed(Written(contour, "map.svg")));
}

void ExpectRefused(const Contour& contour, const std::string& says) {
  const TempDir folder;
  ExpectError(ErrorCode::kUsage, {says},
              [&] { WriteContour(contour, folder / "map.png"); });
  EXPECT_THAT(folder.Files(), IsEmpty());
}

TEST(Contour, IsAPngOfTwiceTheSize) {
  const std::string bytes = Written(Landscape(), "map.png");
  EXPECT_TRUE(IsPng(bytes));
  EXPECT_EQ(PngWidth(bytes), 1800u);
  EXPECT_GT(PngHeight(bytes), 1000u);
  EXPECT_LT(PngHeight(bytes), 1800u);
}

TEST(Contour, IsAnSvgThatHoldsItsTexts) {
  const std::string bytes = Written(Landscape(), "map.svg");
  EXPECT_TRUE(IsWellFormed(bytes));
  for (const char* text : {"Loss on the plane through A, B and π(B)", "MNIST",
                           "distance", "cross entropy", "naïve"}) {
    EXPECT_THAT(bytes, HasSubstr(text));
  }
  EXPECT_LT(bytes.size(), 1'500'000u);
}

TEST(Contour, IsTheSameBytesEachTime) {
  EXPECT_EQ(Written(Landscape(), "map.svg"), Written(Landscape(), "map.svg"));
}

TEST(Contour, DrawsWhatThereIsOfDegenerateData) {
  ExpectDrawn(Small({3, 3, 3, 3}));
  ExpectDrawn(Small({0, 0, 0, 0}));
  ExpectDrawn(Small({0, 1, 1, 0}));
  ExpectDrawn(Small({kNan, 1, 2, 3}));
  ExpectDrawn(Small({kNan, kNan, kNan, 3}));
  ExpectDrawn(Small({-1e300, 1e300, 0, 1}));
  Contour flat = Small(std::vector<double>(6, 1));
  flat.x = Steps(0, 100, 3);
  ExpectDrawn(flat);  // far from square: axes of different units
}

TEST(Contour, MakesRoomForMarksBeyondTheGrid) {
  Contour contour = Small({1, 2, 3, 4});
  contour.points = {{"far", 3, -2}};
  ExpectDrawn(contour);
}

TEST(Contour, RefusesWhatCannotBeDrawn) {
  ExpectRefused(Contour{}, "two places on x");
  ExpectRefused(Small({1, 2, 3}), "needs 4 values, not 3");
  ExpectRefused(Small({kNan, kNan, kNan, kNan}), "no finite value");
  Contour contour = Small({1, 2, 3, 4, 5, 6});
  contour.x = {0, 1, 3};
  ExpectRefused(contour, "equal steps on x");
  contour.x = {2, 1, 0};
  ExpectRefused(contour, "ascending");
  contour.x = {0, kNan, 2};
  ExpectRefused(contour, "equal steps on x");
  contour.x = {0, 1, kNan};
  ExpectRefused(contour, "no numbers");
  contour = Small({1, 2, 3, 4});
  contour.points = {{"nowhere", kNan, 0}};
  ExpectRefused(contour, "not finite");
}

TEST(Contour, RefusesOtherEndings) {
  const TempDir folder;
  ExpectError(ErrorCode::kUsage, {"map.jpg"},
              [&] { WriteContour(Landscape(), folder / "map.jpg"); });
}

}  // namespace
}  // namespace rebasin
