// Soft matching: doubly stochastic matrices, and models under them.

#include "match/soft/soft_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "match/problem.h"
#include "match/soft/sinkhorn.h"
#include "rebasin/merge.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::SymmetryPtr;

constexpr int64_t kUnits = 40;

std::vector<float> RandomCosts(uint64_t seed) {
  Random random(seed);
  std::vector<float> costs(kUnits * kUnits);
  for (float& cost : costs) cost = static_cast<float>(random.Normal());
  return costs;
}

CostMatrix MatrixOf(const std::vector<float>& costs) {
  return {.data = costs.data(), .n = kUnits, .stride = kUnits};
}

// The largest difference of a row's or a column's sum from 1.
double Unevenness(const std::vector<float>& matrix) {
  double most = 0;
  for (int64_t i = 0; i < kUnits; ++i) {
    double row = 0, column = 0;
    for (int64_t j = 0; j < kUnits; ++j) {
      row += matrix[i * kUnits + j];
      column += matrix[j * kUnits + i];
    }
    most = std::max({most, std::abs(row - 1), std::abs(column - 1)});
  }
  return most;
}

TEST(Sinkhorn, MakesRowsAndColumnsSumToOne) {
  const std::vector<float> costs = RandomCosts(1);
  EXPECT_LT(Unevenness(Sinkhorn(MatrixOf(costs), 0.5, 200)), 1e-4);
}

TEST(Sinkhorn, IsFartherAlongWhenItGoesOnFromPotentials) {
  const std::vector<float> costs = RandomCosts(2);
  std::vector<float> potentials;
  const double first =
      Unevenness(Sinkhorn(MatrixOf(costs), 0.2, 5, potentials));
  const double second =
      Unevenness(Sinkhorn(MatrixOf(costs), 0.2, 5, potentials));
  EXPECT_LT(second, first);
  // The same as without a break, up to rounding.
  const auto whole = Sinkhorn(MatrixOf(costs), 0.2, 10);
  std::vector<float> halves;
  Sinkhorn(MatrixOf(costs), 0.2, 5, halves);
  const auto broken = Sinkhorn(MatrixOf(costs), 0.2, 5, halves);
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_NEAR(broken[i], whole[i], 1e-4);
  }
}

TEST(Sinkhorn, StaysFiniteWhenNearlyEverythingUnderflows) {
  const std::vector<float> costs = RandomCosts(3);
  std::vector<float> potentials;
  for (const double temperature : {1e-2, 1e-3, 1e-5}) {
    for (const float x :
         Sinkhorn(MatrixOf(costs), temperature, 20, potentials)) {
      ASSERT_TRUE(std::isfinite(x));
    }
    for (const float x : potentials) ASSERT_TRUE(std::isfinite(x));
  }
}

class SoftMatches : public ::testing::TestWithParam<testing::Network> {
 protected:
  std::vector<int> Order(const Problem& problem) const {
    std::vector<int> order(problem.roots().size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  void ExpectNear(const Checkpoint& x, const Checkpoint& y) const {
    for (const TensorSymmetry& tensor : symmetry_->tensors()) {
      if (tensor.statistic) continue;
      const auto a = FloatsInPlace(*x.Find(tensor.name));
      const auto b = FloatsInPlace(*y.Find(tensor.name));
      ASSERT_EQ(a.size(), b.size());
      for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_NEAR(a[i], b[i], 1e-5) << tensor.name << ", " << i;
      }
    }
  }

  SymmetryPtr symmetry_ = GetParam().symmetry;
  Checkpoint a_ = testing::RandomModel(*symmetry_, 5);
  Checkpoint b_ = testing::RandomModel(*symmetry_, 6);
  ThreadPool pool_{2};
};

// Costs that leave no choice but the permutations of the alignment.
TreeCosts CostsThatAskFor(const Alignment& alignment, const Problem& problem,
                          int tree) {
  TreeCosts costs(problem, tree, TreeCosts::Quadratic::kAsLinear);
  costs.Recompute([&](const Occurrence& where, const CostTarget& target) {
    // Siblings that meet have no matrix; each is also asked for alone.
    if (target.part.factors) return;
    const Slot& slot = problem.terms()[where.term].block.slots[where.slot];
    const std::vector<int64_t> places = Offsets(slot);
    const std::vector<int64_t> wanted = Offsets(slot, alignment);
    for (size_t i = 0; i < places.size(); ++i) {
      const auto j = std::find(places.begin(), places.end(), wanted[i]);
      target.part.gram[i * places.size() + (j - places.begin())] = 1;
    }
  });
  return costs;
}

TEST_P(SoftMatches, PermuteLikeTheAlignmentThatTheCostsAskFor) {
  const Problem problem(a_, b_, symmetry_, pool_);
  const Alignment alignment = Alignment::Random(symmetry_, 1);
  SoftAlignment soft;
  for (const int tree : Order(problem)) {
    soft.Soften(CostsThatAskFor(alignment, problem, tree),
                {.temperature = 0.01}, pool_);
  }
  SoftMatch match(problem, soft, pool_);
  ExpectNear(match.Softened(b_), testing::ReferencePermute(b_, alignment));
}

// What a sweep left half done is finished with the matrices of its end.
TEST_P(SoftMatches, AreTheSameWhetherOrNotASweepHasJustEnded) {
  const Problem problem(a_, b_, symmetry_, pool_);
  for (const bool backwards : {false, true}) {
    SoftAlignment soft;
    SoftMatch match(problem, soft, pool_);
    match.Sweep(Order(problem), backwards, {.temperature = 0.3});
    SoftMatch other(problem, soft, pool_);
    ExpectNear(match.Softened(b_), other.Softened(b_));
  }
}

TEST_P(SoftMatches, KeepWhatAllUnitsHaveTogether) {
  const Problem problem(a_, b_, symmetry_, pool_);
  SoftAlignment soft;
  SoftMatch match(problem, soft, pool_);
  match.Sweep(Order(problem), false, {.temperature = 1, .iterations = 100});
  const Checkpoint softened = match.Softened(b_);
  for (const TensorPair& pair : problem.tensors()) {
    const auto values = FloatsInPlace(*softened.Find(pair.name));
    const std::vector<float> of_b = pair.FloatsOfB();
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0),
                std::accumulate(of_b.begin(), of_b.end(), 0.0), 1e-2)
        << pair.name;
  }
}

TEST_P(SoftMatches, SolveAPlantedPermutation) {
  const Alignment moved = Alignment::Random(symmetry_, 2);
  const Checkpoint copy = Permute(testing::WithNoise(a_, 0.1, 1), moved);
  const Problem problem(a_, copy, symmetry_, pool_);
  SoftAlignment soft;
  SoftMatch match(problem, soft, pool_);
  for (int sweep = 0; sweep < 20; ++sweep) {
    match.Sweep(Order(problem), sweep % 2 == 1,
                {.temperature = 0.3, .iterations = 10, .goes_on = true});
  }
  EXPECT_EQ(match.Solve(), moved.Inverse());
}

INSTANTIATE_TEST_SUITE_P(Networks, SoftMatches,
                         ::testing::ValuesIn(testing::SmallNetworks()));
INSTANTIATE_TEST_SUITE_P(Convolutions, SoftMatches,
                         ::testing::Values(testing::Network{
                             "resnet20", testing::ResNet20(1)}));
INSTANTIATE_TEST_SUITE_P(WideGroups, SoftMatches,
                         ::testing::Values(testing::Network{
                             "grouped_convolution",
                             testing::GroupedConvolution(4, 5)}));

}  // namespace
}  // namespace rebasin
