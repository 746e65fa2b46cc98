// Planted permutations: B is a permuted copy of A with noise, and matching must
// find the permutation back.

#include <gtest/gtest.h>

#include <utility>

#include "rebasin/match.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::SymmetryPtr;

struct Planted {
  Checkpoint a, b;
  Alignment truth;  // aligns b to a
};

Planted Plant(const SymmetryPtr& symmetry, double noise, uint64_t seed) {
  const Checkpoint a = testing::RandomModel(*symmetry, seed);
  const auto hidden = Alignment::Random(symmetry, seed + 1000);
  const Checkpoint noisy =
      noise > 0 ? testing::WithNoise(a, noise, seed + 2000) : a;
  return {a, testing::ReferencePermute(noisy, hidden), hidden.Inverse()};
}

// Share of the units found.
double Recovered(const SymmetryPtr& symmetry, double noise, uint64_t seed,
                 const MatchOptions& options) {
  const Planted planted = Plant(symmetry, noise, seed);
  const MatchResult result =
      MatchWeights(planted.a, planted.b, symmetry, options, {.seed = seed});
  return testing::Agreement(result.alignment, planted.truth);
}

const MatchOptions kPaper = {.start = MatchStart::kIdentity,
                             .random_order = true};

TEST(SlowRecovery, FindsPlantedPermutationsOfAnMlp) {
  const auto mlp = testing::Mlp({784, 512, 512, 512, 10});
  for (double noise : {0.0, 0.5, 1.0}) {
    EXPECT_EQ(Recovered(mlp, noise, 1, {}), 1) << "noise " << noise;
  }
}

class ResidualRecovery
    : public ::testing::TestWithParam<std::pair<int64_t, int64_t>> {};

TEST_P(ResidualRecovery, FindsAllOfTwentySeedsAndThePapersRuleFew) {
  const auto [width, hidden] = GetParam();
  const auto net = testing::ResidualMlp(24, width, hidden);
  for (double noise : {0.0, 0.5, 1.0}) {
    int ours = 0, plain = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      ours += Recovered(net, noise, seed, {}) == 1;
      plain += Recovered(net, noise, seed, kPaper) == 1;
    }
    EXPECT_EQ(ours, 20) << "noise " << noise;
    EXPECT_LT(plain, 10) << "noise " << noise;
  }
}

INSTANTIATE_TEST_SUITE_P(SlowWidths, ResidualRecovery,
                         ::testing::Values(std::pair(64, 128),
                                           std::pair(128, 64)));

TEST(SlowRecovery, PlantedScalesDoNotMatterWhenBalanced) {
  const auto net = testing::ResidualMlp(24, 64, 128);
  std::vector<std::string> relu_groups;
  for (int b = 0; b < 24; ++b) relu_groups.push_back("H" + std::to_string(b));
  for (double noise : {0.0, 0.5, 1.0}) {
    Planted planted = Plant(net, noise, 5);
    planted.a = testing::WithPlantedScales(planted.a, *net, relu_groups, 1, 6);
    planted.b = testing::WithPlantedScales(planted.b, *net, relu_groups, 1, 7);
    const auto result =
        MatchWeights(planted.a, planted.b, net, {.balance = true});
    EXPECT_EQ(testing::Agreement(result.alignment, planted.truth), 1)
        << "noise " << noise;
  }
}

TEST(Recovery, FindsRecurrentUnitsOnBothAxes) {
  const auto net = testing::Recurrent(16, 64, 8);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(Recovered(net, 0.5, seed, {}), 1) << "seed " << seed;
  }
}

TEST(Recovery, FindsHeadsAndWhatLiesWithinThem) {
  const auto net = testing::Attention(48, 6, 8);
  for (double noise : {0.0, 0.5}) {
    EXPECT_EQ(Recovered(net, noise, 3, {}), 1) << "noise " << noise;
  }
}

TEST(Recovery, FindsSiblingGroupsThatMeetInOneTensor) {
  EXPECT_EQ(Recovered(testing::GroupedQueryAttention(48, 3, 4, 8), 0.3, 1, {}),
            1);
  EXPECT_EQ(Recovered(testing::GroupedConvolution(4, 6), 0.3, 1, {}), 1);
}

TEST(Recovery, FindsHeadsByAnnealingToo) {
  const auto net = testing::Attention(48, 6, 8);
  EXPECT_EQ(Recovered(net, 0.5, 3, {.start = MatchStart::kAnnealed}), 1);
}

}  // namespace
}  // namespace rebasin
