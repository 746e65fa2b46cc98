#include "report/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rebasin {
namespace {

using ::testing::ElementsAre;

TEST(Numbers, OfOneAxisHaveTheSameDecimals) {
  EXPECT_THAT(NumberTexts({0, 0.25, 0.5}), ElementsAre("0.00", "0.25", "0.50"));
  EXPECT_THAT(NumberTexts({0, 50, 100}), ElementsAre("0", "50", "100"));
}

TEST(Numbers, ThatAreUnevenHaveTheirOwn) {
  EXPECT_THAT(NumberTexts({0.05, 0.1, 1, 20}),
              ElementsAre("0.05", "0.1", "1", "20"));
}

TEST(Numbers, ThatAreLongHavePowersOfTen) {
  EXPECT_THAT(NumberTexts({0, 1e6, 2e6}), ElementsAre("0", "10⁶", "2·10⁶"));
  EXPECT_THAT(NumberTexts({-2e-6, -1e-6, 0}),
              ElementsAre("−2·10⁻⁶", "−10⁻⁶", "0"));
  EXPECT_THAT(NumberTexts({1.5e7, 2e7, 2.5e7}),
              ElementsAre("1.5·10⁷", "2·10⁷", "2.5·10⁷"));
}

TEST(Numbers, HaveAProperMinus) {
  EXPECT_THAT(NumberTexts({-1, 0, 1}), ElementsAre("−1", "0", "1"));
  EXPECT_THAT(NumberTexts({-0.0}), ElementsAre("0"));
}

}  // namespace
}  // namespace rebasin
