#include "base/checked.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace rebasin {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Checked, OverflowIsAnAnswer) {
  EXPECT_EQ(CheckedMul(1 << 20, 1 << 20), int64_t{1} << 40);
  EXPECT_EQ(CheckedMul(kMax, 2), std::nullopt);
  EXPECT_EQ(CheckedAdd(kMax, 1), std::nullopt);
  EXPECT_EQ(CheckedAdd(kMax - 1, 1), kMax);
}

TEST(Checked, ProductThatWrapsToZeroIsOverflow) {
  const std::vector<int64_t> wraps = {int64_t{1} << 32, int64_t{1} << 32};
  EXPECT_EQ(CheckedProduct(wraps), std::nullopt);
}

TEST(Checked, ProductWithAZeroIsZero) {
  const std::vector<int64_t> factors = {kMax, kMax, 0};
  EXPECT_EQ(CheckedProduct(factors), 0);
  EXPECT_EQ(CheckedProduct({}), 1);
}

}  // namespace
}  // namespace rebasin
