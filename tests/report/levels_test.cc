#include "report/levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace rebasin {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Levels, AreEvenWhereTheRangeIsNarrow) {
  EXPECT_THAT(
      ChooseLevels({1, 2, 3.5}, 5),
      ElementsAre(DoubleEq(1.5), DoubleEq(2), DoubleEq(2.5), DoubleEq(3)));
}

TEST(Levels, AreLogLikeWhereItIsWide) {
  EXPECT_THAT(
      ChooseLevels({0.01, 0.1, 1, 9}, 10),
      ElementsAre(DoubleEq(0.02), DoubleEq(0.05), DoubleEq(0.1), DoubleEq(0.2),
                  DoubleEq(0.5), DoubleEq(1), DoubleEq(2), DoubleEq(5)));
}

TEST(Levels, AreEvenWhereSomethingIsNegative) {
  EXPECT_THAT(ChooseLevels({-50, 0.1, 50}, 5),
              ElementsAre(DoubleEq(-40), DoubleEq(-20), DoubleEq(0),
                          DoubleEq(20), DoubleEq(40)));
}

TEST(Levels, AreNotStretchedByAFewValuesNextToZero) {
  std::vector<double> z(100, 0.5);
  z[0] = 1e-12;
  z[1] = 40;
  EXPECT_GE(ChooseLevels(z, 12).front(), 0.5);
}

TEST(Levels, LookAtFiniteValuesOnly) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(ChooseLevels({nan, 0, 1, nan}, 2), ElementsAre(DoubleEq(0.5)));
}

TEST(Levels, AreNoneForConstants) {
  EXPECT_THAT(ChooseLevels({3, 3, 3}, 10), IsEmpty());
  EXPECT_THAT(ChooseLevels({0}, 10), IsEmpty());
}

}  // namespace
}  // namespace rebasin
