// Deep networks under heavy noise, where the start decides.

#include <gtest/gtest.h>

#include "rebasin/match.h"
#include "rebasin/merge.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::SymmetryPtr;

double Recovered(const SymmetryPtr& symmetry, double noise, uint64_t seed,
                 const MatchOptions& options) {
  const Checkpoint a = testing::RandomModel(*symmetry, seed);
  const auto hidden = Alignment::Random(symmetry, seed + 1000);
  const Checkpoint b =
      Permute(testing::WithNoise(a, noise, seed + 2000), hidden);
  const MatchResult result = MatchWeights(a, b, symmetry, options);
  return testing::Agreement(result.alignment, hidden.Inverse());
}

TEST(SlowQuality, DeepPlainNetworkAtThreeSigma) {
  const auto vgg = testing::Vgg16();
  EXPECT_GE(Recovered(vgg, 3, 1, {}), 0.99);
}

TEST(SlowQuality, DeepPlainNetworkAtThreeSigmaIsBeyondThePapersRule) {
  EXPECT_LT(Recovered(testing::Vgg16(), 3, 1,
                      {.start = MatchStart::kIdentity, .random_order = true}),
            0.1);
}

TEST(SlowQuality, ResidualNetworkAtFiveSigmaNeedsAnnealing) {
  const auto resnet = testing::ResNet20(4);
  EXPECT_LT(Recovered(resnet, 5, 1, {}), 1);
  EXPECT_EQ(Recovered(resnet, 5, 1, {.start = MatchStart::kAnnealed}), 1);
}

TEST(SlowQuality, AnnealingBeatsThePlainRuleOnDeepMlps) {
  const auto mlp = testing::Mlp({64, 64, 64, 64, 64, 64, 64, 64, 64, 10});
  const Checkpoint a = testing::RandomModel(*mlp, 1);
  const Checkpoint b =
      Permute(testing::WithNoise(a, 3, 3), Alignment::Random(mlp, 2));
  const auto plain = MatchWeights(
      a, b, mlp, {.start = MatchStart::kIdentity, .random_order = true});
  const auto annealed =
      MatchWeights(a, b, mlp, {.start = MatchStart::kAnnealed});
  EXPECT_GT(annealed.report.objective_after,
            1.02 * plain.report.objective_after);
}

}  // namespace
}  // namespace rebasin
