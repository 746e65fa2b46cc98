#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.h"
#include "match/many/many_models.h"
#include "match/many/many_rounds.h"
#include "match/many_planted.h"
#include "rebasin/merge.h"
#include "support/expect_error.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::ManyPlanted;

struct Planted : ManyPlanted {
  explicit Planted(uint64_t count, double noise = 0.3)
      : ManyPlanted(testing::Mlp({16, 24, 20, 6}), count, noise) {}
};

ManyOptions Method(ManyMethod method) {
  ManyOptions options;
  options.method = method;
  options.min_gain = 0;
  return options;
}

constexpr ManyMethod kMethods[] = {
    ManyMethod::kMergeMany, ManyMethod::kConsistent, ManyMethod::kFrankWolfe};

// Spread of the models as the alignments move them, from its definition.
double BruteSpread(const std::vector<Checkpoint>& models,
                   const std::vector<Alignment>& alignments) {
  std::vector<Checkpoint> moved;
  for (size_t m = 0; m < models.size(); ++m) {
    moved.push_back(testing::ReferencePermute(models[m], alignments[m]));
  }
  double spread = 0;
  for (size_t t = 0; t < moved[0].tensors().size(); ++t) {
    for (int64_t i = 0; i < moved[0].tensors()[t].size(); ++i) {
      double sum = 0, squares = 0;
      for (const Checkpoint& model : moved) {
        const double x = FloatsInPlace(model.tensors()[t])[i];
        sum += x;
        squares += x * x;
      }
      spread += squares - sum * sum / static_cast<double>(models.size());
    }
  }
  return spread;
}

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
  for (const ManyMethod method : kMethods) {
    const ManyResult one = MatchMany(planted.models, planted.symmetry,
                                     Method(method), {.threads = 1});
    const ManyResult three = MatchMany(planted.models, planted.symmetry,
                                       Method(method), {.threads = 3});
    EXPECT_EQ(one.alignments, three.alignments);
    EXPECT_EQ(one.spread_by_round, three.spread_by_round);
    EXPECT_EQ(one.distances_after, three.distances_after);
  }
}

// Joined one by one, then rounds until nothing moves.
double SpreadWithoutAnnealing(const ManyPlanted& planted) {
  ThreadPool pool(2);
  const ManyModels models =
      PrepareMany(planted.models, planted.symmetry, false, pool);
  const ManyOptions options;
  ManyRounds rounds(models, options, {}, pool);
  rounds.JoinOneByOne();
  for (int round = 0; round < 100 && rounds.Round() > 0; ++round) {
  }
  return rounds.Spread();
}

TEST(MatchMany, FindsTogetherWhatModelsDoNotFindOneByOne) {
  const ManyPlanted planted(testing::ResNet20(1), 12, 2.0);
  const double spread = BruteSpread(planted.models, planted.solutions);
  const ManyResult result = MatchMany(planted.models, planted.symmetry);
  EXPECT_LE(result.spread_by_round.back(), spread * (1 + 1e-6));
  EXPECT_GT(SpreadWithoutAnnealing(planted), 1.1 * spread);
}

class ManyNetworks : public ::testing::TestWithParam<testing::Network> {};

TEST_P(ManyNetworks, AreRecoveredByEveryMethod) {
  const ManyPlanted planted(GetParam().symmetry, 5, 0.3);
  for (const ManyMethod method : kMethods) {
    const ManyResult result =
        MatchMany(planted.models, planted.symmetry, Method(method));
    for (size_t m = 0; m < planted.models.size(); ++m) {
      EXPECT_EQ(result.alignments[m], planted.solutions[m]) << "model " << m;
    }
  }
}

// Hard enough for joining to leave something to do.
TEST_P(ManyNetworks, NeverMoveApartAndAreTheSameForAnyNumberOfThreads) {
  const ManyPlanted planted(GetParam().symmetry, 12, 2.0);
  const ManyResult one =
      MatchMany(planted.models, planted.symmetry,
                Method(ManyMethod::kMergeMany), {.threads = 1});
  const ManyResult three =
      MatchMany(planted.models, planted.symmetry,
                Method(ManyMethod::kMergeMany), {.threads = 3});
  EXPECT_EQ(one.alignments, three.alignments);
  EXPECT_EQ(one.spread_by_round, three.spread_by_round);
  EXPECT_GT(one.rounds, 2);
  for (size_t r = 1; r < one.spread_by_round.size(); ++r) {
    EXPECT_LE(one.spread_by_round[r], one.spread_by_round[r - 1]);
  }
}

TEST_P(ManyNetworks, EndAtLeastAsNearAsWithoutAnnealing) {
  for (const double noise : {1.5, 2.0, 2.5}) {
    const ManyPlanted planted(GetParam().symmetry, 12, noise);
    const ManyResult result = MatchMany(planted.models, planted.symmetry,
                                        Method(ManyMethod::kMergeMany));
    // Where neither finds what is planted, local optima differ a little.
    EXPECT_LE(result.spread_by_round.back(),
              1.001 * SpreadWithoutAnnealing(planted))
        << "noise " << noise;
  }
}

double SquaredNorm(const Checkpoint& model) {
  double sum = 0;
  for (const Tensor& tensor : model.tensors()) {
    const auto values = FloatsInPlace(tensor);
    sum +=
        std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  }
  return sum;
}

TEST_P(ManyNetworks, AreNeverFartherApartByTheConsistentMethod) {
  ManyPlanted planted(GetParam().symmetry, 4, 3.0);
  // The order that the consistent method chooses itself.
  std::sort(planted.models.begin(), planted.models.end(),
            [](const Checkpoint& x, const Checkpoint& y) {
              return SquaredNorm(x) > SquaredNorm(y);
            });
  const auto spread = [&](ManyMethod method) {
    const ManyResult result =
        MatchMany(planted.models, planted.symmetry, Method(method));
    EXPECT_TRUE(result.converged);
    return result.spread_by_round.back();
  };
  EXPECT_LE(spread(ManyMethod::kConsistent), spread(ManyMethod::kMergeMany));
}

INSTANTIATE_TEST_SUITE_P(
    Networks, ManyNetworks,
    ::testing::Values(
        testing::Network{"mlp", testing::Mlp({16, 24, 20, 6})},
        testing::Network{"residual", testing::ResidualMlp(3, 20, 24)},
        testing::Network{"recurrent", testing::Recurrent(12, 20, 6)},
        testing::Network{"attention", testing::Attention(24, 3, 6)},
        testing::Network{"grouped_convolution",
                         testing::GroupedConvolution(3, 6)}));
INSTANTIATE_TEST_SUITE_P(SlowNetworks, ManyNetworks,
                         ::testing::Values(testing::Network{
                             "resnet20", testing::ResNet20(1)}));

TEST(MatchMany, ReportsTheSpreadThatItsAlignmentsHave) {
  const Planted planted(4, 2.0);
  for (const ManyMethod method : kMethods) {
    const ManyResult result =
        MatchMany(planted.models, planted.symmetry, Method(method));
    const double brute = BruteSpread(planted.models, result.alignments);
    EXPECT_NEAR(result.spread_by_round.back(), brute, 1e-6 * brute);
    const double before = BruteSpread(
        planted.models, {planted.models.size(), Alignment(planted.symmetry)});
    EXPECT_NEAR(result.spread_by_round.front(), before, 1e-6 * before);
  }
}

// All alignments of a symmetry with one group of three units.
std::vector<Alignment> AllOfThree(const testing::SymmetryPtr& symmetry) {
  std::vector<Alignment> all;
  std::vector<int32_t> order = {0, 1, 2};
  do {
    Alignment& alignment = all.emplace_back(symmetry);
    std::copy(order.begin(), order.end(),
              alignment.mutable_permutation(0).begin());
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

// Models with nothing in common, so that there are many local optima.
TEST(MatchMany, FindsTheBestOfAllWaysToAlignThreeTinyModels) {
  const auto symmetry = testing::Mlp({4, 3, 2});
  const std::vector<Alignment> all = AllOfThree(symmetry);
  int found = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    std::vector<Checkpoint> models;
    for (uint64_t m = 0; m < 3; ++m) {
      models.push_back(testing::RandomModel(*symmetry, 3 * seed + m));
    }
    double best = std::numeric_limits<double>::infinity();
    for (const Alignment& second : all) {
      for (const Alignment& third : all) {
        best = std::min(
            best, BruteSpread(models, {Alignment(symmetry), second, third}));
      }
    }
    const ManyResult result =
        MatchMany(models, symmetry, Method(ManyMethod::kConsistent));
    const double spread = result.spread_by_round.back();
    EXPECT_GE(spread, best * (1 - 1e-5)) << "seed " << seed;
    EXPECT_LE(spread, best * 1.03) << "seed " << seed;
    found += spread <= best * (1 + 1e-5) ? 1 : 0;
  }
  EXPECT_GE(found, 29);
}

TEST(MatchMany, DoesNotDependOnTheOrderOfTheModelsIfConsistent) {
  const Planted planted(4, 2.5);
  const auto options = Method(ManyMethod::kConsistent);
  const ManyResult given = MatchMany(planted.models, planted.symmetry, options);
  const std::vector<size_t> order = {2, 0, 3, 1};
  std::vector<Checkpoint> models;
  for (const size_t m : order) models.push_back(planted.models[m]);
  const ManyResult shuffled = MatchMany(models, planted.symmetry, options);
  EXPECT_EQ(given.spread_by_round, shuffled.spread_by_round);
  // The first model stays as it is, and that is another one now.
  const Alignment back = given.alignments[order[0]].Inverse();
  for (size_t m = 0; m < order.size(); ++m) {
    EXPECT_EQ(shuffled.alignments[m], given.alignments[order[m]].Then(back));
  }
}

TEST(MatchMany, MeasuresAllPairs) {
  const Planted planted(4, 1.0);
  const ManyResult result = MatchMany(planted.models, planted.symmetry);
  ASSERT_EQ(result.distances_before.size(), 16u);
  double squares = 0;
  for (size_t x = 0; x < 4; ++x) {
    EXPECT_EQ(result.distances_after[x * 4 + x], 0);
    for (size_t y = 0; y < 4; ++y) {
      const double after = result.distances_after[x * 4 + y];
      EXPECT_EQ(after, result.distances_after[y * 4 + x]);
      EXPECT_LE(after, result.distances_before[x * 4 + y] + 1e-6);
      squares += after * after / 2;
    }
  }
  // Over all pairs, |x - y|^2 sums to n times the spread.
  EXPECT_NEAR(squares, 4 * result.spread_by_round.back(), 1e-4 * squares);
}

TEST(MatchMany, CountsEqualModelsAsEqual) {
  const Planted planted(1);
  const std::vector<Checkpoint> models(3, planted.models[0]);
  for (const ManyMethod method : kMethods) {
    const ManyResult result =
        MatchMany(models, planted.symmetry, Method(method));
    EXPECT_EQ(result.distances_after, std::vector<double>(9, 0.0));
    for (const Alignment& alignment : result.alignments) {
      EXPECT_TRUE(alignment.IsIdentity());
    }
  }
}

TEST(MatchMany, BalancesTheModelsFirst) {
  Planted planted(4, 0.1);
  for (size_t m = 0; m < planted.models.size(); ++m) {
    planted.models[m] =
        testing::WithPlantedScales(planted.models[m], *planted.symmetry,
                                   {planted.symmetry->groups()[0].name,
                                    planted.symmetry->groups()[1].name},
                                   1.0, m);
  }
  for (const ManyMethod method : kMethods) {
    ManyOptions options = Method(method);
    options.match.balance = true;
    const ManyResult result =
        MatchMany(planted.models, planted.symmetry, options);
    EXPECT_EQ(result.alignments, planted.solutions);
  }
}

TEST(MatchMany, GoesOnUntilNothingMovesIfAsked) {
  const Planted planted(6, 3.0);
  const ManyResult far = MatchMany(planted.models, planted.symmetry,
                                   Method(ManyMethod::kMergeMany));
  ManyOptions early;
  early.min_gain = 0.2;
  const ManyResult near = MatchMany(planted.models, planted.symmetry, early);
  EXPECT_TRUE(near.converged);
  EXPECT_LT(near.rounds, far.rounds);
  EXPECT_LE(far.spread_by_round.back(), near.spread_by_round.back());
}

TEST(MatchManyStep, MatchesAsWeightsAreMatchedIfItDoesThat) {
  const Planted planted(5);
  ManyOptions options;
  options.step = [&](const Checkpoint& target, const Checkpoint& model) {
    return MatchWeights(target, model, planted.symmetry).alignment;
  };
  const ManyResult result =
      MatchMany(planted.models, planted.symmetry, options);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.alignments, planted.solutions);
}

TEST(MatchManyStep, SeesAllTensorsAsFloats) {
  Planted planted(2);
  for (Checkpoint& model : planted.models) {
    std::vector<Tensor> tensors = ConvertTypes(model, DType::kF16).tensors();
    tensors.push_back(MakeTensor("scale", {1}, std::vector<float>{2}));
    model = Checkpoint(std::move(tensors));
  }
  ManyOptions options;
  options.step = [&](const Checkpoint& target, const Checkpoint& model) {
    CheckSameStructure(target, model);
    EXPECT_EQ(FloatsInPlace(*target.Find("scale"))[0], 2);
    for (const Tensor& tensor : target.tensors()) {
      EXPECT_EQ(tensor.dtype, DType::kF32);
    }
    return Alignment(planted.symmetry);
  };
  const ManyResult result =
      MatchMany(planted.models, planted.symmetry, options);
  EXPECT_EQ(result.rounds, 2);
}

TEST(MatchManyStep, EndsAtTheSmallestSpreadIfItGoesAstray) {
  const Planted planted(4);
  uint64_t seed = 0;
  ManyOptions options;
  options.step = [&](const Checkpoint&, const Checkpoint&) {
    return Alignment::Random(planted.symmetry, ++seed);
  };
  const ManyResult result =
      MatchMany(planted.models, planted.symmetry, options);
  EXPECT_TRUE(result.converged);
  const auto& spreads = result.spread_by_round;
  const double least = *std::min_element(spreads.begin() + 1, spreads.end());
  EXPECT_NEAR(BruteSpread(planted.models, result.alignments), least,
              1e-6 * least);
}

TEST(MatchManyStep, IsNotForTheConsistentMethod) {
  const Planted planted(2);
  ManyOptions options = Method(ManyMethod::kConsistent);
  options.step = [&](const Checkpoint&, const Checkpoint&) {
    return Alignment(planted.symmetry);
  };
  ExpectError(ErrorCode::kUsage, {"MergeMany"},
              [&] { MatchMany(planted.models, planted.symmetry, options); });
}

TEST(MatchManyStep, MustKeepToTheSymmetry) {
  const Planted planted(2);
  ManyOptions options;
  options.step = [&](const Checkpoint&, const Checkpoint&) {
    return Alignment(testing::Mlp({4, 3, 2}));
  };
  ExpectError(ErrorCode::kUsage, {"another symmetry"},
              [&] { MatchMany(planted.models, planted.symmetry, options); });
}

TEST(MatchMany, NamesTheModelWithValuesThatAreNotFinite) {
  Planted planted(3);
  std::vector<Tensor> tensors = planted.models[2].tensors();
  std::vector<float> values(static_cast<size_t>(tensors[0].size()), 1.0f);
  values.back() = std::nanf("");
  tensors[0] = MakeTensor(tensors[0].name, tensors[0].shape, values);
  const std::string name = tensors[0].name;
  planted.models[2] = Checkpoint(std::move(tensors));
  for (const ManyMethod method : kMethods) {
    ExpectError(ErrorCode::kBadInput, {"model 3", name}, [&] {
      MatchMany(planted.models, planted.symmetry, Method(method));
    });
  }
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
