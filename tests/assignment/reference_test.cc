// The solver against two that are too simple to be wrong: all permutations, and
// the textbook's shortest augmenting paths.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "assignment/costs.h"

namespace rebasin {
namespace {

double BruteForce(const Costs& costs, bool maximize) {
  std::vector<int32_t> columns(static_cast<size_t>(costs.n));
  std::iota(columns.begin(), columns.end(), 0);
  double best = ValueOf(costs, columns);
  do {
    const double value = ValueOf(costs, columns);
    best = maximize ? std::max(best, value) : std::min(best, value);
  } while (std::next_permutation(columns.begin(), columns.end()));
  return best;
}

// The Hungarian method, O(n^3); index 0 stands for "none".
class Textbook {
 public:
  Textbook(const Costs& costs, bool maximize)
      : costs_(costs),
        sign_(maximize ? -1 : 1),
        n_(static_cast<size_t>(costs.n)),
        u_(n_ + 1),
        v_(n_ + 1),
        row_of_(n_ + 1) {}

  double Solve() {
    for (size_t i = 1; i <= n_; ++i) Insert(i);
    double value = 0;
    for (size_t j = 1; j <= n_; ++j) value += sign_ * Cost(row_of_[j], j);
    return value;
  }

 private:
  double Cost(size_t i, size_t j) const {
    return sign_ *
           costs_.At(static_cast<int64_t>(i) - 1, static_cast<int64_t>(j) - 1);
  }

  void Insert(size_t row) {
    std::vector<double> nearest(n_ + 1, std::numeric_limits<double>::max());
    std::vector<size_t> way(n_ + 1);
    std::vector<bool> used(n_ + 1);
    row_of_[0] = row;
    size_t j0 = 0;
    do {
      used[j0] = true;
      const size_t i0 = row_of_[j0];
      size_t j1 = 0;
      double delta = std::numeric_limits<double>::max();
      for (size_t j = 1; j <= n_; ++j) {
        if (used[j]) continue;
        const double slack = Cost(i0, j) - u_[i0] - v_[j];
        if (slack < nearest[j]) nearest[j] = slack, way[j] = j0;
        if (nearest[j] < delta) delta = nearest[j], j1 = j;
      }
      for (size_t j = 0; j <= n_; ++j) {
        if (used[j]) {
          u_[row_of_[j]] += delta, v_[j] -= delta;
        } else {
          nearest[j] -= delta;
        }
      }
      j0 = j1;
    } while (row_of_[j0] != 0);
    for (; j0 != 0; j0 = way[j0]) row_of_[j0] = row_of_[way[j0]];
  }

  const Costs& costs_;
  const double sign_;
  const size_t n_;
  std::vector<double> u_, v_;
  std::vector<size_t> row_of_;
};

class AssignmentFamily : public testing::TestWithParam<std::string> {};

TEST_P(AssignmentFamily, EqualsBruteForceOnSmallMatrices) {
  Random random(7);
  for (int repetition = 0; repetition < 150; ++repetition) {
    const auto n = static_cast<int64_t>(1 + random.Below(7));
    const Costs costs = MakeCosts(GetParam(), n, &random);
    for (const bool maximize : {false, true}) {
      const auto result = SolveAssignment(costs.View(), {.maximize = maximize});
      ASSERT_NO_FATAL_FAILURE(ExpectProved(costs, result, maximize));
      ASSERT_NEAR(result.value, BruteForce(costs, maximize), Tolerance(costs));
    }
  }
}

TEST_P(AssignmentFamily, EqualsTheTextbookOnLargerMatrices) {
  Random random(8);
  for (const int64_t n : {8, 15, 16, 17, 33, 64, 100, 150}) {
    const Costs costs = MakeCosts(GetParam(), n, &random);
    for (const bool maximize : {false, true}) {
      const auto result = SolveAssignment(costs.View(), {.maximize = maximize});
      ASSERT_NO_FATAL_FAILURE(ExpectProved(costs, result, maximize));
      ASSERT_NEAR(result.value, Textbook(costs, maximize).Solve(),
                  Tolerance(costs));
    }
  }
}

TEST_P(AssignmentFamily, WarmStartFindsTheSameOptimum) {
  Random random(9);
  for (const int64_t n : {5, 40, 90}) {
    const Costs before = MakeCosts(GetParam(), n, &random);
    Costs after = before;
    for (float& x : after.values) {
      x *= static_cast<float>(1 + 0.01 * random.Uniform());
      if (!std::isfinite(x)) x = 3e38f;
    }
    for (const bool maximize : {false, true}) {
      const auto old = SolveAssignment(before.View(), {.maximize = maximize});
      const auto cold = SolveAssignment(after.View(), {.maximize = maximize});
      const auto warm = SolveAssignment(
          after.View(), {.maximize = maximize, .warm_start = &old.duals});
      ASSERT_NO_FATAL_FAILURE(ExpectProved(after, warm, maximize));
      ASSERT_NEAR(warm.value, cold.value, Tolerance(after));
    }
  }
}

TEST_P(AssignmentFamily, ProvesLargeProblems) {
  Random random(10);
  const Costs costs = MakeCosts(GetParam(), 500, &random);
  for (const bool maximize : {false, true}) {
    const auto result = SolveAssignment(costs.View(), {.maximize = maximize});
    ASSERT_NO_FATAL_FAILURE(ExpectProved(costs, result, maximize));
  }
}

INSTANTIATE_TEST_SUITE_P(All, AssignmentFamily, testing::ValuesIn(Families()),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace rebasin
