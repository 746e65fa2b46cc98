#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rebasin {
namespace {

TEST(Random, SameSeedGivesSameSequence) {
  Random a(7), b(7), c(8);
  const uint64_t first = a.Next();
  EXPECT_EQ(first, b.Next());
  EXPECT_NE(first, c.Next());
}

TEST(Random, SequenceIsTheSameOnEveryPlatform) {
  Random random(1);
  EXPECT_EQ(random.Next(), 12966619160104079557u);
}

TEST(Random, BelowStaysBelowAndReachesEveryValue) {
  Random random(3);
  std::array<int, 5> counts{};
  for (int i = 0; i < 1000; ++i) ++counts[random.Below(5)];
  EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 150);
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  Random random(4);
  double sum = 0, squares = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.Normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
}

TEST(Random, PermutationHoldsEveryIndexOnce) {
  auto permutation = Random(5).Permutation(100);
  EXPECT_FALSE(std::is_sorted(permutation.begin(), permutation.end()));
  std::sort(permutation.begin(), permutation.end());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(permutation[i], i);
}

}  // namespace
}  // namespace rebasin
