#include "assignment/candidates.h"

#include <gtest/gtest.h>

#include "assignment/costs.h"

namespace rebasin::assignment {
namespace {

// Lists are a cache: whatever happens to the prices, they must answer as the
// rows themselves would.
TEST(Candidates, AnswerLikeWholeRowsWhilePricesRiseAndFall) {
  Random random(1);
  for (const std::string family : {"uniform", "rank one", "digits", "dead"}) {
    const int64_t n = 300;
    const auto size = static_cast<size_t>(n);
    const rebasin::Costs costs = MakeCosts(family, n, &random);
    const Problem problem = {.matrix = costs.View(), .sign = -1, .scale = -1};
    auto prices = PaddedVector<float>(size, 0);
    Candidates candidates(problem, std::vector<float>(size, 1));
    for (int step = 0; step < 3000; ++step) {
      const size_t i = random.Below(size);
      const auto expected =
          TwoMinima(problem.Row(i), -1.0f, prices.data(), size);
      const auto found = candidates.TwoCheapest(i, prices, 1e-3f);
      ASSERT_EQ(found.best, expected.best) << family;
      ASSERT_EQ(found.second, expected.second);
      ASSERT_EQ(found.column, expected.column);
      prices[static_cast<size_t>(found.column)] += 0.125f;
      if (step % 500 != 499) continue;
      for (size_t j = 0; j < size; ++j) prices[j] -= j % 2 == 0 ? 0.25f : 0;
      candidates.OnPricesLowered(0.25f);
    }
  }
}

TEST(Candidates, ColumnsOfAListAreInOrder) {
  Random random(2);
  const rebasin::Costs costs = MakeCosts("uniform", 200, &random);
  const Problem problem = {.matrix = costs.View(), .sign = 1, .scale = 1};
  Candidates candidates(problem, std::vector<float>(200, 1));
  const auto prices = PaddedVector<float>(200, 0);
  for (size_t i = 0; i < 200; ++i) {
    candidates.TwoCheapest(i, prices, 0);
    const auto columns = candidates.Columns(i);
    EXPECT_TRUE(std::is_sorted(columns.begin(), columns.end()));
    EXPECT_EQ(columns.size(), candidates.Costs(i).size());
  }
}

}  // namespace
}  // namespace rebasin::assignment
