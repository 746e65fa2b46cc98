#include "assignment/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "base/random.h"
#include "support/targets.h"

namespace rebasin::assignment {
namespace {

// Small integers, so that ties are common and sums are exact.
template <typename T>
std::vector<T> Digits(size_t n, Random* random) {
  std::vector<T> digits(n);
  for (T& digit : digits) digit = static_cast<T>(random->Below(50));
  return digits;
}

template <typename T>
std::vector<T> Padded(std::vector<T> values) {
  values.resize(PaddedSize(values.size()), kInfinity<T>);
  return values;
}

template <typename T>
void ExpectTwoMinima(size_t n, T scale, Random* random) {
  const auto costs = Digits<float>(n, random);
  const auto prices = Padded(Digits<T>(n, random));
  std::vector<T> sums(n);
  for (size_t j = 0; j < n; ++j) sums[j] = scale * costs[j] + prices[j];
  const auto lowest = std::min_element(sums.begin(), sums.end());
  const auto minima = TwoMinima(costs.data(), scale, prices.data(), n);
  EXPECT_EQ(minima.best, *lowest);
  EXPECT_EQ(minima.column, lowest - sums.begin());
  std::sort(sums.begin(), sums.end());
  EXPECT_EQ(minima.second, n == 1 ? kInfinity<T> : sums[1]);
  if constexpr (std::is_same_v<T, double>) {
    EXPECT_EQ(Smallest(costs.data(), scale, prices.data(), n), sums[0]);
  }
}

TEST(Kernels, TwoMinimaFindTheLowestColumnForEveryLength) {
  ForEachTarget([] {
    Random random(1);
    for (size_t n = 1; n < 140; ++n) {
      ExpectTwoMinima<float>(n, 1, &random);
      ExpectTwoMinima<float>(n, -0.5f, &random);
      ExpectTwoMinima<double>(n, 1, &random);
      ExpectTwoMinima<double>(n, -1, &random);
    }
  });
}

TEST(Kernels, FindRangeSeesEveryElement) {
  ForEachTarget([] {
    Random random(2);
    for (size_t n = 1; n < 70; ++n) {
      auto costs = Digits<float>(n, &random);
      const auto [low, high] = std::minmax_element(costs.begin(), costs.end());
      const Range range = FindRange(costs.data(), n);
      EXPECT_TRUE(range.finite);
      EXPECT_EQ(range.low, *low);
      EXPECT_EQ(range.high, *high);
    }
  });
}

TEST(Kernels, FindRangeNoticesASingleNumberThatIsNotFinite) {
  ForEachTarget([] {
    for (size_t n = 1; n < 70; ++n) {
      for (size_t j = 0; j < n; ++j) {
        for (const float bad : {kInfinity<float>, -kInfinity<float>,
                                std::numeric_limits<float>::quiet_NaN()}) {
          std::vector<float> costs(n, 1);
          costs[j] = bad;
          EXPECT_FALSE(FindRange(costs.data(), n).finite);
        }
      }
    }
  });
}

template <typename T>
void ExpectLowerColumns(size_t n, Random* random) {
  const auto costs = Digits<float>(n, random);
  const auto before = Padded(Digits<T>(n, random));
  auto lowest = before;
  LowerColumns(costs.data(), T{-1}, T{-40}, lowest.data(), n);
  for (size_t j = 0; j < n; ++j) {
    EXPECT_EQ(lowest[j], std::min<T>(before[j], 40 - costs[j]));
  }
}

TEST(Kernels, LowerColumnsKeepsTheSmaller) {
  ForEachTarget([] {
    Random random(3);
    for (size_t n = 1; n < 70; ++n) {
      ExpectLowerColumns<float>(n, &random);
      ExpectLowerColumns<double>(n, &random);
    }
  });
}

TEST(Kernels, TwoMinimaOfAListAreThoseOfItsColumns) {
  ForEachTarget([] {
    Random random(6);
    const auto prices = Padded(Digits<float>(100, &random));
    for (size_t size = 2; size < 70; ++size) {
      const auto costs = Padded(Digits<float>(size, &random));
      std::vector<int32_t> columns(costs.size());
      std::vector<float> sums;
      for (size_t k = 0; k < size; ++k) {
        columns[k] = static_cast<int32_t>(random.Below(100));
        sums.push_back(costs[k] + prices[static_cast<size_t>(columns[k])]);
      }
      const auto minima = TwoMinimaOfList(costs.data(), columns.data(),
                                          prices.data(), costs.size());
      const auto lowest = std::min_element(sums.begin(), sums.end());
      EXPECT_EQ(minima.column, lowest - sums.begin());
      std::sort(sums.begin(), sums.end());
      EXPECT_EQ(minima.best, sums[0]);
      EXPECT_EQ(minima.second, sums[1]);
    }
  });
}

TEST(Kernels, ListBelowHoldsExactlyTheColumnsBelowTheLimit) {
  ForEachTarget([] {
    Random random(7);
    for (size_t n = 1; n < 130; ++n) {
      const auto costs = Digits<float>(n, &random);
      const auto prices = Padded(Digits<float>(n, &random));
      std::vector<int32_t> expected, columns(n + 32);
      std::vector<float> list(n + 32);
      for (size_t j = 0; j < n; ++j) {
        if (prices[j] - 0.5f * costs[j] < 10) {
          expected.push_back(static_cast<int32_t>(j));
        }
      }
      const size_t size = ListBelow(costs.data(), -0.5f, prices.data(), n, 10,
                                    n, columns.data(), list.data());
      ASSERT_EQ(size, expected.size());
      columns.resize(size);
      EXPECT_EQ(columns, expected);
      for (size_t k = 0; k < size; ++k) {
        EXPECT_EQ(list[k], -0.5f * costs[static_cast<size_t>(columns[k])]);
      }
    }
  });
}

TEST(Kernels, ListBelowGivesUpWithinItsRoom) {
  ForEachTarget([] {
    const std::vector<float> costs(500, 1);
    const auto prices = PaddedVector<float>(500, 0);
    for (size_t capacity = 0; capacity < 70; ++capacity) {
      std::vector<int32_t> columns(capacity + 32, -1);
      std::vector<float> list(capacity + 32);
      EXPECT_GT(ListBelow(costs.data(), 1, prices.data(), 500, 2, capacity,
                          columns.data(), list.data()),
                capacity);
    }
  });
}

TEST(Kernels, RelaxShortensPathsAndRemembersTheRow) {
  ForEachTarget([] {
    Random random(4);
    for (size_t n = 1; n < 70; ++n) {
      const auto costs = Digits<float>(n, &random);
      const auto prices = Padded(Digits<double>(n, &random));
      const auto before = Padded(Digits<double>(n, &random));
      auto distance = before;
      auto from = Padded(std::vector<double>(n, -1));
      const double nearest =
          Relax(costs.data(), {.scale = 1, .dual = 30, .start = 5, .row = 9},
                prices.data(), distance.data(), from.data(), n);
      for (size_t j = 0; j < n; ++j) {
        const double length = costs[j] + prices[j] - 30 + 5;
        EXPECT_EQ(distance[j], std::min(before[j], length));
        EXPECT_EQ(from[j], length < before[j] ? 9 : -1);
      }
      EXPECT_EQ(nearest, *std::min_element(distance.begin(), distance.end()));
    }
  });
}

TEST(Kernels, AppendEqualListsColumnsInOrder) {
  ForEachTarget([] {
    Random random(5);
    for (size_t n = 1; n < 200; ++n) {
      const auto distance = Padded(Digits<double>(n, &random));
      std::vector<int32_t> expected, found;
      for (size_t j = 0; j < n; ++j) {
        if (distance[j] == 7) expected.push_back(static_cast<int32_t>(j));
      }
      AppendEqual(distance.data(), 7, n, &found);
      EXPECT_EQ(found, expected);
    }
  });
}

}  // namespace
}  // namespace rebasin::assignment
