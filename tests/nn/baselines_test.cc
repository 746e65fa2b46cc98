#include <gtest/gtest.h>

#include "nn/small_networks.h"
#include "rebasin/discovery.h"
#include "rebasin/nn/interpolate.h"
#include "rebasin/nn/match_baselines.h"
#include "rebasin/nn/train.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using testing::Blobs;
using testing::GraphPtr;
using testing::RandomNetwork;
using testing::SmallConvNet;
using testing::SmallMlp;

struct Pair {
  GraphPtr graph = SmallMlp(6, 10);
  std::shared_ptr<const Symmetry> symmetry =
      std::make_shared<const Symmetry>(Discover(*graph).symmetry);
  Dataset data = Blobs({6}, 4, 300, 1);
  Checkpoint a = RandomNetwork(*graph, 1), b = RandomNetwork(*graph, 2);
};

TEST(MatchSteepest, FollowsTheSlopeOfTheLoss) {
  const Pair pair;
  const MatchResult found =
      MatchSteepest(pair.graph, pair.a, pair.b, pair.symmetry, pair.data);
  // A short way from A towards the permuted B, compared with all others that
  // were tried.
  const auto loss = [&](const Alignment& alignment) {
    const MergeInput inputs[] = {{&pair.a, nullptr}, {&pair.b, &alignment}};
    constexpr double kShort = 1e-3;
    return Evaluate(pair.graph,
                    Merge(inputs, {.weights = {1 - kShort, kShort}}), pair.data)
        .loss;
  };
  const double steepest = loss(found.alignment);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_LE(steepest, loss(Alignment::Random(pair.symmetry, seed)) + 1e-6);
  }
  EXPECT_EQ(found.report.start, "steepest");
}

TEST(MatchAnnealing, LowersTheLossHalfWayAndReturnsTheBest) {
  const Pair pair;
  const AnnealingResult found =
      MatchAnnealing(pair.graph, pair.a, pair.b, pair.symmetry, pair.data,
                     {.moves = 300, .examples = 200});
  EXPECT_EQ(found.moves, 300);
  EXPECT_GT(found.accepted, 0);
  EXPECT_LT(found.best_loss, found.start_loss);
}

TEST(MatchAnnealing, IsTheSameForAnyNumberOfThreads) {
  const Pair pair;
  const AnnealingOptions options{.moves = 50, .examples = 200};
  const auto match = [&](int threads) {
    return MatchAnnealing(pair.graph, pair.a, pair.b, pair.symmetry, pair.data,
                          options, {.threads = threads, .seed = 3});
  };
  const AnnealingResult alone = match(1), together = match(3);
  EXPECT_TRUE(alone.alignment == together.alignment);
  EXPECT_EQ(alone.best_loss, together.best_loss);
}

TEST(MatchAnnealing, KeepsToItsTime) {
  const Pair pair;
  const AnnealingResult found =
      MatchAnnealing(pair.graph, pair.a, pair.b, pair.symmetry, pair.data,
                     {.seconds = 1e-9, .examples = 200});
  EXPECT_EQ(found.moves, 1);
}

TEST(MatchAnnealing, RunsNetworksWithBatchNorm) {
  const GraphPtr graph = SmallConvNet();
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(*graph).symmetry);
  const AnnealingResult found = MatchAnnealing(
      graph, RandomNetwork(*graph, 1), RandomNetwork(*graph, 2), symmetry,
      Blobs({1, 8, 8}, 4, 120, 1), {.moves = 20, .examples = 60});
  EXPECT_LE(found.best_loss, found.start_loss);
}

TEST(Baselines, RefuseWhatDoesNotFit) {
  const Pair pair;
  const Dataset unlabelled("plain", {6}, std::vector<float>(600, 0.5f),
                           std::vector<int32_t>(), 0);
  ExpectError(ErrorCode::kMismatch, {"no labels"}, [&] {
    MatchSteepest(pair.graph, pair.a, pair.b, pair.symmetry, unlabelled);
  });
  ExpectError(ErrorCode::kMismatch, {"no labels"}, [&] {
    MatchAnnealing(pair.graph, pair.a, pair.b, pair.symmetry, unlabelled,
                   {.moves = 1, .examples = 50});
  });
  ExpectError(ErrorCode::kUsage, {"budget"}, [&] {
    MatchAnnealing(pair.graph, pair.a, pair.b, pair.symmetry, pair.data,
                   {.seconds = 0});
  });
}

}  // namespace
}  // namespace rebasin
