#include "nn/blend.h"

#include <gtest/gtest.h>

#include "nn/small_networks.h"
#include "rebasin/discovery.h"
#include "rebasin/merge.h"

namespace rebasin::nn {
namespace {

using testing::BytesOf;
using testing::GraphPtr;
using testing::RandomNetwork;

Checkpoint Merged(const Checkpoint& a, const Checkpoint& b,
                  const Alignment& alignment) {
  return Merge({{{&a, nullptr}, {&b, &alignment}}}, {}, {.threads = 1});
}

std::string BytesOf(const Weights& weights) {
  return testing::BytesOf(
      weights.ToCheckpoint(std::map<std::string, std::string>{}));
}

TEST(Blend, IsWhatPermutingAndMergingGive) {
  ThreadPool pool(2);
  for (const GraphPtr& graph : {testing::SmallMlp(), testing::SmallConvNet()}) {
    const auto symmetry =
        std::make_shared<const Symmetry>(Discover(*graph).symmetry);
    const Checkpoint a = RandomNetwork(*graph, 1), b = RandomNetwork(*graph, 2);
    Alignment alignment(symmetry);
    Blend blend(graph, a, b, alignment, pool);
    EXPECT_EQ(BytesOf(blend.weights()), BytesOf(Merged(a, b, alignment)));
    for (uint64_t seed : {1, 2, 3}) {
      // Only one group moves, now and then all do.
      if (seed == 2) {
        alignment = Alignment::Random(symmetry, seed);
      } else {
        const auto units = alignment.mutable_permutation(1);
        std::swap(units[0], units[3]);
      }
      blend.Set(alignment, 0.5);
      EXPECT_EQ(BytesOf(blend.weights()), BytesOf(Merged(a, b, alignment)));
      EXPECT_EQ(BytesOf(blend.permuted()), BytesOf(Permute(b, alignment)));
    }
  }
}

TEST(Blend, FollowsLambda) {
  ThreadPool pool(1);
  const GraphPtr graph = testing::SmallMlp();
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(*graph).symmetry);
  const Checkpoint a = RandomNetwork(*graph, 1), b = RandomNetwork(*graph, 2);
  const auto alignment = Alignment::Random(symmetry, 4);
  Blend blend(graph, a, b, Alignment(symmetry), pool);
  blend.Set(alignment, 1);
  EXPECT_EQ(BytesOf(blend.weights()), BytesOf(Permute(b, alignment)));
  blend.Set(alignment, 0);
  EXPECT_EQ(BytesOf(blend.weights()), BytesOf(a));
  blend.Set(alignment, 0.5);
  EXPECT_EQ(BytesOf(blend.weights()), BytesOf(Merged(a, b, alignment)));
}

}  // namespace
}  // namespace rebasin::nn
