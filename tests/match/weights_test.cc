// Properties of weight matching that hold whatever the weights are.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rebasin/error.h"
#include "rebasin/match.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::AllKinds;
using testing::SymmetryPtr;

double Inner(const Checkpoint& a, const Checkpoint& b) {
  double sum = 0;
  for (const Tensor& tensor : a.tensors()) {
    const auto x = FloatsInPlace(tensor);
    const auto y = FloatsInPlace(*b.Find(tensor.name));
    for (size_t i = 0; i < x.size(); ++i) {
      sum += static_cast<double>(x[i]) * y[i];
    }
  }
  return sum;
}

TEST(SlowMatchWeights, ObjectiveNeverDecreasesAndIsWhatItSays) {
  for (const SymmetryPtr& symmetry : AllKinds()) {
    const Checkpoint a = testing::RandomModel(*symmetry, 1);
    const Checkpoint b = testing::RandomModel(*symmetry, 2);
    for (const auto start : {MatchStart::kAnchored, MatchStart::kAnnealed,
                             MatchStart::kBest, MatchStart::kIdentity}) {
      const auto result = MatchWeights(a, b, symmetry, {.start = start});
      const auto& objectives = result.report.objective_by_pass;
      EXPECT_TRUE(std::is_sorted(objectives.begin(), objectives.end()));
      EXPECT_TRUE(result.report.converged);
      const double exact =
          Inner(a, testing::ReferencePermute(b, result.alignment));
      const double scale = result.report.norm_a * result.report.norm_b;
      EXPECT_NEAR(result.report.objective_after, exact, 1e-9 * scale);
      EXPECT_NEAR(objectives.back(), exact, 1e-5 * scale);
      EXPECT_GE(result.report.objective_after,
                result.report.objective_before - 1e-6 * scale);
    }
  }
}

TEST(MatchWeights, GoesOnFromAnAlignmentThatIsGiven) {
  for (const SymmetryPtr& symmetry : AllKinds()) {
    const Checkpoint a = testing::RandomModel(*symmetry, 1);
    const Checkpoint b = testing::RandomModel(*symmetry, 2);
    const auto given = Alignment::Random(symmetry, 3);
    const MatchReport before = DescribeAlignment(a, b, given);
    const double scale = before.norm_a * before.norm_b;
    EXPECT_NEAR(before.objective_after,
                Inner(a, testing::ReferencePermute(b, given)), 1e-9 * scale);
    const MatchResult found = MatchWeights(
        a, b, symmetry, {.start = MatchStart::kGiven, .from = &given});
    EXPECT_EQ(found.report.start, "given");
    EXPECT_GE(found.report.objective_after,
              before.objective_after - 1e-6 * scale);
    const MatchResult again =
        MatchWeights(a, b, symmetry,
                     {.start = MatchStart::kGiven, .from = &found.alignment});
    EXPECT_TRUE(again.alignment == found.alignment);
  }
}

TEST(MatchWeights, NeedsTheAlignmentToStartFrom) {
  const SymmetryPtr symmetry = AllKinds()[0];
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  EXPECT_THROW(MatchWeights(a, a, symmetry, {.start = MatchStart::kGiven}),
               Error);
}

// The best of all alignments of two groups of three.
double BruteForce(const SymmetryPtr& symmetry, const Checkpoint& a,
                  const Checkpoint& b) {
  double best = -std::numeric_limits<double>::infinity();
  std::vector<int32_t> p = {0, 1, 2};
  do {
    std::vector<int32_t> q = {0, 1, 2};
    do {
      Alignment alignment(symmetry);
      std::copy(p.begin(), p.end(), alignment.mutable_permutation(0).begin());
      std::copy(q.begin(), q.end(), alignment.mutable_permutation(1).begin());
      best = std::max(best, Inner(a, testing::ReferencePermute(b, alignment)));
    } while (std::next_permutation(q.begin(), q.end()));
  } while (std::next_permutation(p.begin(), p.end()));
  return best;
}

TEST(MatchWeights, AgreesWithBruteForceOnTinyNetworks) {
  const auto symmetry = testing::Mlp({2, 3, 3, 2});
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Checkpoint a = testing::RandomModel(*symmetry, seed);
    const Checkpoint b = testing::RandomModel(*symmetry, seed + 100);
    // The objective is not concave; restarts make up for it at this size.
    const auto result = MatchWeights(a, b, symmetry, {.restarts = 16});
    EXPECT_NEAR(result.report.objective_after, BruteForce(symmetry, a, b), 1e-6)
        << "seed " << seed;
  }
}

// In the manner of "An Example Failure Case" of the paper: the incoming weights
// of the first layer prefer the identity, but only by epsilon squared, while
// everything behind it wants both layers swapped.
class FailureCase : public ::testing::Test {
 protected:
  FailureCase() {
    const float e = 0.1f;
    a_ = Model({1, e, 1, 0}, {1, 0, 0, 0}, {1, 0, 0, 0});
    b_ = Model({1, e, 1, 0}, {0, 0, 0, 1}, {0, 1, 0, 0});
  }

  static Checkpoint Model(std::vector<float> w1, std::vector<float> w2,
                          std::vector<float> w3) {
    return Checkpoint({MakeTensor("w1", {2, 2}, w1),
                       MakeTensor("w2", {2, 2}, w2),
                       MakeTensor("w3", {2, 2}, w3)});
  }

  SymmetryPtr symmetry_ = testing::MakeSymmetry(
      {{"P0", 2}, {"P1", 2}},
      {{"w1", {"P0", "2"}}, {"w2", {"P1", "P0"}}, {"w3", {"2", "P1"}}});
  Checkpoint a_, b_;
};

TEST_F(FailureCase, WeightMatchingSwapsBothLayersFromAnyOrder) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (bool random : {false, true}) {
      for (auto start : {MatchStart::kAnchored, MatchStart::kIdentity}) {
        const auto result = MatchWeights(
            a_, b_, symmetry_, {.start = start, .random_order = random},
            {.seed = seed});
        EXPECT_EQ(result.alignment.permutation(0)[0], 1);
        EXPECT_EQ(result.alignment.permutation(1)[0], 1);
      }
    }
  }
}

TEST_F(FailureCase, GreedyMatchingByIncomingWeightsDoesNot) {
  const auto greedy = MatchWeights(a_, b_, symmetry_, {.greedy = true});
  EXPECT_TRUE(greedy.alignment.IsIdentity());
  const auto full = MatchWeights(a_, b_, symmetry_);
  EXPECT_GT(full.report.objective_after, greedy.report.objective_after + 1);
}

TEST(MatchWeights, SameResultForAnyNumberOfThreads) {
  for (const SymmetryPtr& symmetry : AllKinds()) {
    const Checkpoint a = testing::RandomModel(*symmetry, 3);
    const Checkpoint b = testing::RandomModel(*symmetry, 4);
    const MatchOptions options{.start = MatchStart::kBest, .restarts = 2};
    const auto one = MatchWeights(a, b, symmetry, options, {.threads = 1});
    const auto three = MatchWeights(a, b, symmetry, options, {.threads = 3});
    EXPECT_TRUE(one.alignment == three.alignment);
    EXPECT_EQ(one.report.objective_after, three.report.objective_after);
  }
}

TEST(MatchWeights, ForgettingCostsBetweenVisitsChangesNothing) {
  const auto symmetry = testing::ResNet20(1);
  const Checkpoint a = testing::RandomModel(*symmetry, 3);
  const Checkpoint b =
      testing::WithNoise(testing::RandomModel(*symmetry, 3), 1, 5);
  const auto kept = MatchWeights(a, b, symmetry, {});
  const auto forgotten = MatchWeights(a, b, symmetry, {.cost_memory = 0});
  EXPECT_TRUE(kept.alignment == forgotten.alignment);
}

TEST(MatchWeights, SaysWhenModelsAreAlreadyAligned) {
  const auto symmetry = testing::Mlp({6, 20, 16, 4});
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  const Checkpoint b = testing::WithNoise(a, 0.1, 2);
  const auto result = MatchWeights(a, b, symmetry);
  EXPECT_TRUE(result.report.already_aligned);
  EXPECT_TRUE(result.alignment.IsIdentity());
  const auto same = MatchWeights(a, a, symmetry);
  EXPECT_TRUE(same.report.already_aligned);
}

TEST(MatchWeights, StatisticsAndIntegersMoveButDoNotCount) {
  const auto with = [](bool statistic) {
    std::vector<Group> groups = {{"P", 8}};
    std::vector<TensorSymmetry> tensors = {
        {.name = "w", .axes = {ParseAxis("P", groups), ParseAxis("5", groups)}},
        {.name = "running_mean",
         .axes = {ParseAxis("P", groups)},
         .statistic = statistic}};
    return std::make_shared<const Symmetry>(groups, tensors);
  };
  const auto plain = testing::MakeSymmetry({{"P", 8}}, {{"w", {"P", "5"}}});
  Checkpoint a = testing::RandomModel(*with(true), 1);
  Checkpoint b = testing::RandomModel(*with(true), 2);
  // A huge statistic that would dictate the order if it counted.
  const auto loud = [](const Checkpoint& model, bool descending) {
    std::vector<float> values(8);
    for (int i = 0; i < 8; ++i) values[i] = 1e3f * (descending ? 8 - i : i);
    return Checkpoint(
        {*model.Find("w"), MakeTensor("running_mean", {8}, values)});
  };
  a = loud(a, false);
  b = loud(b, true);
  const auto ignoring = MatchWeights(a, b, with(true)).alignment;
  const auto counting = MatchWeights(a, b, with(false)).alignment;
  const auto without = MatchWeights(Checkpoint({*a.Find("w")}),
                                    Checkpoint({*b.Find("w")}), plain)
                           .alignment;
  EXPECT_TRUE(ignoring == without);
  EXPECT_FALSE(ignoring == counting);
}

TEST(MatchWeights, RefusesValuesThatAreNotFinite) {
  const auto symmetry = testing::Mlp({2, 3, 2});
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  std::vector<Tensor> tensors = a.tensors();
  tensors[0] = MakeTensor(
      tensors[0].name, tensors[0].shape,
      std::vector<float>{1, std::numeric_limits<float>::infinity(), 2});
  try {
    MatchWeights(a, Checkpoint(tensors), symmetry);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_STREQ(error.what(),
                 "model B, tensor \"fc1.bias\": 1 value is NaN or infinite, "
                 "the first at index 1");
  }
}

TEST(MatchWeights, HalfPrecisionMatchesLikeFloat) {
  const auto symmetry = testing::Mlp({16, 24, 24, 4});
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  const auto hidden = Alignment::Random(symmetry, 2);
  const auto as = [](const Checkpoint& model, DType dtype) {
    std::vector<Tensor> tensors;
    for (const Tensor& tensor : model.tensors()) {
      tensors.push_back(
          MakeTensor(tensor.name, tensor.shape, FloatsInPlace(tensor), dtype));
    }
    return Checkpoint(std::move(tensors));
  };
  const Checkpoint b = testing::ReferencePermute(a, hidden);
  for (DType dtype : {DType::kF16, DType::kBF16, DType::kF64}) {
    const auto result = MatchWeights(as(a, dtype), as(b, dtype), symmetry);
    EXPECT_TRUE(result.alignment == hidden.Inverse());
  }
}

TEST(MatchWeights, WidthOneAndZeroAreFine) {
  const auto one = testing::Mlp({3, 1, 2});
  const Checkpoint a = testing::RandomModel(*one, 1);
  const Checkpoint b = testing::RandomModel(*one, 2);
  EXPECT_TRUE(MatchWeights(a, b, one).alignment.IsIdentity());
  const auto zero = testing::Mlp({3, 0, 2});
  const Checkpoint c = testing::RandomModel(*zero, 1);
  EXPECT_TRUE(MatchWeights(c, c, zero).alignment.IsIdentity());
}

TEST(CheckSameStructure, SuggestsAStrayPrefix) {
  const Checkpoint a({MakeTensor("fc.weight", {2}, std::vector<float>(2))});
  const Checkpoint b(
      {MakeTensor("module.fc.weight", {2}, std::vector<float>(2))});
  try {
    CheckSameStructure(a, b);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kMismatch);
    EXPECT_NE(error.hint().find("\"module.\""), std::string::npos);
  }
}

}  // namespace
}  // namespace rebasin
