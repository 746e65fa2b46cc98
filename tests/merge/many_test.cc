#include <gtest/gtest.h>

#include "rebasin/merge.h"
#include "support/expect_error.h"
#include "support/models.h"

namespace rebasin {
namespace {

// Noisy copies of one model, each permuted at random; the first is not.
struct Planted {
  testing::SymmetryPtr symmetry = testing::Mlp({16, 24, 20, 6});
  std::vector<Checkpoint> models;
  std::vector<Alignment> solutions;

  explicit Planted(uint64_t count, double noise = 0.3) {
    const Checkpoint base = testing::RandomModel(*symmetry, 7);
    for (uint64_t m = 0; m < count; ++m) {
      const Alignment moved =
          m == 0 ? Alignment(symmetry) : Alignment::Random(symmetry, m);
      models.push_back(
          Permute(testing::WithNoise(base, noise, 100 + m), moved));
      solutions.push_back(moved.Inverse());
    }
  }
};

TEST(MatchMany, RecoversPlantedPermutations) {
  const Planted planted(8);
  const ManyResult result = MatchMany(planted.models, planted.symmetry);
  EXPECT_TRUE(result.converged);
  for (size_t m = 0; m < planted.models.size(); ++m) {
    EXPECT_EQ(result.alignments[m], planted.solutions[m]) << "model " << m;
  }
}

TEST(MatchMany, NeverIncreasesTheSpread) {
  const Planted planted(6, 3.0);
  const ManyResult result = MatchMany(planted.models, planted.symmetry);
  for (size_t r = 1; r < result.spread_by_round.size(); ++r) {
    EXPECT_LE(result.spread_by_round[r], result.spread_by_round[r - 1]);
  }
  EXPECT_LT(result.spread_by_round.back(), result.spread_by_round.front());
}

TEST(MatchMany, LeavesAlignedModelsAlone) {
  const auto symmetry = testing::Mlp({16, 24, 20, 6});
  const Checkpoint base = testing::RandomModel(*symmetry, 1);
  std::vector<Checkpoint> models;
  for (uint64_t m = 0; m < 4; ++m) {
    models.push_back(testing::WithNoise(base, 0.3, m));
  }
  for (const Alignment& alignment : MatchMany(models, symmetry).alignments) {
    EXPECT_TRUE(alignment.IsIdentity());
  }
}

TEST(MatchMany, IsTheSameForAnyNumberOfThreads) {
  const Planted planted(4, 2.0);
  const auto run = [&](int threads) {
    MatchOptions match;
    match.threads = threads;
    return MatchMany(planted.models, planted.symmetry,
                     {.match = match, .progress = {}});
  };
  const ManyResult one = run(1), three = run(3);
  EXPECT_EQ(one.alignments, three.alignments);
  EXPECT_EQ(one.spread_by_round, three.spread_by_round);
}

TEST(MatchMany, MatchesNarrowTypesToo) {
  Planted planted(3, 0.1);
  for (Checkpoint& model : planted.models) {
    std::vector<Tensor> narrow;
    for (const Tensor& tensor : model.tensors()) {
      std::vector<float> values(static_cast<size_t>(tensor.size()));
      ReadFloats(tensor, 0, values);
      narrow.push_back(
          MakeTensor(tensor.name, tensor.shape, values, DType::kBF16));
    }
    model = Checkpoint(std::move(narrow));
  }
  const ManyResult result = MatchMany(planted.models, planted.symmetry);
  EXPECT_EQ(result.alignments, planted.solutions);
}

TEST(MatchMany, NeedsTwoModels) {
  const Planted planted(1);
  ExpectError(ErrorCode::kUsage, {"two models"},
              [&] { MatchMany(planted.models, planted.symmetry); });
}

}  // namespace
}  // namespace rebasin
