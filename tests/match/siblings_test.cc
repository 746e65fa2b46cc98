// Sibling groups that meet in a tensor: costs as factors of a matrix product.

#include "match/descent/siblings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "match/costs/tree_costs.h"
#include "match/soft/soft_siblings.h"
#include "rebasin/match.h"
#include "rebasin/merge.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::SymmetryPtr;

std::vector<float> Normal(int64_t size, Random& random) {
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(random.Normal());
  return values;
}

std::vector<int64_t> UpTo(int64_t count, int64_t stride) {
  std::vector<int64_t> offsets(count);
  for (int64_t i = 0; i < count; ++i) offsets[i] = i * stride;
  return offsets;
}

// An outer group and siblings of these sizes inside it.
SymmetryPtr Siblings(int64_t outer, const std::vector<int64_t>& sizes) {
  std::vector<Group> groups = {{"g", outer}};
  std::string axis = "g";
  for (size_t s = 0; s < sizes.size(); ++s) {
    groups.push_back({"s" + std::to_string(s), sizes[s], 0});
    axis += "*s" + std::to_string(s);
  }
  return testing::MakeSymmetry(groups, {{"w", {axis}}});
}

// The same costs twice: as a matrix, and as its factors.
struct TwoForms {
  CostPart matrix, factors;

  TwoForms(const SymmetryPtr& symmetry, int64_t steps, uint64_t seed) {
    const Block block = TensorBlocks(*symmetry, symmetry->tensors()[0]).front();
    matrix.slot = factors.slot = Combined(block.slots[0]);
    factors.factors.emplace(factors.slot, steps);
    Random random(seed);
    const int64_t n = matrix.n();
    const auto a = Normal(n * steps, random), b = Normal(n * steps, random);
    const auto units = UpTo(n, steps), all = UpTo(steps, 1);
    ThreadPool pool(1);
    for (CostPart* part : {&matrix, &factors}) {
      part->Allocate();
      CostTarget{*part}.Add({.data = a.data(), .units = units, .steps = all},
                            {.data = b.data(), .units = units, .steps = all}, 0,
                            pool);
    }
  }
};

using Sizes = std::vector<int64_t>;

class SiblingForms : public ::testing::TestWithParam<Sizes> {
 protected:
  static constexpr int64_t kOuter = 3;

  SymmetryPtr symmetry_ = Siblings(kOuter, GetParam());
  TwoForms forms_{symmetry_, 5, 1};
};

TEST_P(SiblingForms, AreWorthTheSame) {
  const auto columns =
      Offsets(forms_.matrix.slot, Alignment::Random(symmetry_, 1));
  const double expected = forms_.matrix.Value(columns);
  EXPECT_NEAR(forms_.factors.Value(columns), expected,
              1e-5 * (1 + std::abs(expected)));
}

TEST_P(SiblingForms, LeadToTheSameMatch) {
  for (int64_t i = 0; i < kOuter; ++i) {
    for (int64_t j = 0; j < kOuter; ++j) {
      const CostWindow matrix = WholeWindow(forms_.matrix).Inside(i, j);
      const CostWindow factors = WholeWindow(forms_.factors).Inside(i, j);
      const SiblingMatch x = MatchSiblings(*symmetry_, {&matrix, 1});
      const SiblingMatch y = MatchSiblings(*symmetry_, {&factors, 1});
      EXPECT_EQ(x.permutations, y.permutations);
      EXPECT_NEAR(x.value, y.value, 1e-4 * (1 + std::abs(x.value)));
    }
  }
}

TEST_P(SiblingForms, ReportTheValueOfTheirMatch) {
  const CostWindow window = WholeWindow(forms_.factors).Inside(1, 2);
  const SiblingMatch match = MatchSiblings(*symmetry_, {&window, 1});
  Alignment alignment(symmetry_);
  // Unit 2 of B stands at 1; inside, as was found.
  const std::vector<int32_t> outer = {0, 2, 1};
  std::copy(outer.begin(), outer.end(),
            alignment.mutable_permutation(0).begin());
  for (const auto& [group, permutation] : match.permutations) {
    std::copy(permutation.begin(), permutation.end(),
              alignment.mutable_permutation(group, 1).begin());
  }
  const auto columns = Offsets(forms_.matrix.slot, alignment);
  const int64_t inner = forms_.matrix.n() / kOuter;
  double expected = 0;
  for (int64_t i = inner; i < 2 * inner; ++i) {
    expected += forms_.matrix.gram[i * forms_.matrix.n() + columns[i]];
  }
  EXPECT_NEAR(match.value, expected, 1e-4 * (1 + std::abs(expected)));
}

// With the matrices of permutations for soft ones, mixing is permuting.
TEST_P(SiblingForms, AreMixedLikePermutedOnceNothingIsSoft) {
  SoftSiblings soft;
  soft.Add({&forms_.factors, 1});
  Random random(2);
  const auto harden = [&](const CostMatrix& cost) {
    std::vector<float> matrix(cost.n * cost.n, 0.0f);
    for (int64_t i = 0; i < cost.n; ++i) {
      matrix[i * cost.n + (i + 1) % cost.n] = 1;
    }
    return matrix;
  };
  ThreadPool pool(2);
  std::vector<float> costs(kOuter * kOuter, 0.0f);
  soft.Soften({&forms_.factors, 1}, harden, pool, costs);
  Alignment alignment(symmetry_);
  std::vector<float> outer(kOuter * kOuter, 0.0f);
  for (size_t g = 0; g < symmetry_->groups().size(); ++g) {
    const int group = static_cast<int>(g);
    const auto n = static_cast<int32_t>(symmetry_->groups()[g].size);
    for (int64_t c = 0; c < symmetry_->Copies(group); ++c) {
      const auto units = alignment.mutable_permutation(group, c);
      for (int32_t i = 0; i < n; ++i) units[i] = (i + 1) % n;
    }
  }
  for (int64_t i = 0; i < kOuter; ++i) outer[i * kOuter + (i + 1) % kOuter] = 1;
  soft.SetOuter(outer);

  const Slot& slot = forms_.matrix.slot;
  const Block block{.offset = 0, .slots = {slot}};
  const std::vector<float> values = Normal(slot.size(), random);
  const SoftBlock mixed = soft.Mix({values.data(), block}, 0, pool);
  const auto at = Offsets(mixed.block.slots[0]);
  const auto from = Offsets(slot, alignment);
  for (size_t i = 0; i < at.size(); ++i) {
    EXPECT_EQ(mixed.values[at[i]], values[from[i]]);
  }
  // And what it is expected to be worth is what the permutations are worth.
  const double expected = forms_.matrix.Value(from);
  EXPECT_NEAR(soft.ExpectedValue(forms_.factors), expected,
              1e-4 * (1 + std::abs(expected)));
}

INSTANTIATE_TEST_SUITE_P(Sizes, SiblingForms,
                         ::testing::Values(Sizes{4, 4}, Sizes{3, 5},
                                           Sizes{16, 7}, Sizes{33, 2},
                                           Sizes{2, 3, 4}));

TEST(GroupedConvolutions, NeedCostsInProportionToTheirWeights) {
  const SymmetryPtr symmetry = testing::GroupedConvolution(32, 16);
  const Checkpoint model = testing::RandomModel(*symmetry, 1);
  ThreadPool pool(1);
  const Problem problem(model, model, symmetry, pool);
  ASSERT_EQ(problem.roots().size(), 1u);
  const TreeCosts costs(problem, 0);
  // Two matrices of 512 x 512 units, and the convolution four times. The matrix
  // of all pairs of its 8,192 positions would take 268 MB.
  EXPECT_LE(costs.bytes(), 4 * (2 * 512 * 512 + 4 * 512 * 16 * 9));
}

TEST(GroupedConvolutions, AreRecoveredFromEveryStart) {
  const SymmetryPtr symmetry = testing::GroupedConvolution(8, 12);
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  const Alignment moved = Alignment::Random(symmetry, 2);
  const Checkpoint b = Permute(testing::WithNoise(a, 0.5, 3), moved);
  for (const auto start : {MatchStart::kAnchored, MatchStart::kAnnealed}) {
    const auto found = MatchWeights(a, b, symmetry, {.start = start});
    EXPECT_EQ(found.alignment, moved.Inverse());
  }
}

TEST(GroupedConvolutions, AreMatchedAlikeByAnyNumberOfThreads) {
  const SymmetryPtr symmetry = testing::GroupedConvolution(6, 9);
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  const Checkpoint b = testing::RandomModel(*symmetry, 2);
  for (const auto start : {MatchStart::kAnchored, MatchStart::kAnnealed}) {
    const auto one =
        MatchWeights(a, b, symmetry, {.start = start}, {.threads = 1});
    const auto three =
        MatchWeights(a, b, symmetry, {.start = start}, {.threads = 3});
    EXPECT_EQ(one.alignment, three.alignment);
    EXPECT_EQ(one.report.objective_after, three.report.objective_after);
  }
}

}  // namespace
}  // namespace rebasin
