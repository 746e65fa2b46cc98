// Frank-Wolfe over many models at once: its parts, and what it promises.

#include "match/many/frank_wolfe.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"
#include "match/many/step_polynomial.h"
#include "match/problem.h"
#include "match/soft/soft_term.h"
#include "rebasin/merge.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::SymmetryPtr;

TEST(StepPolynomial, AddsPolynomialsOfDifferentDegrees) {
  StepPolynomial sum;
  sum.Add(std::vector<double>{1, 3});     // 1 - t + 3 t
  sum.Add(std::vector<double>{0, 4, 0});  // 4 t (1 - t)
  for (double t : {0.0, 0.25, 0.5, 1.0}) {
    EXPECT_NEAR(sum.Value(t), 1 + 2 * t + 4 * t * (1 - t), 1e-12);
    EXPECT_NEAR(sum.Slope(t), 6 - 8 * t, 1e-12);
  }
  EXPECT_NEAR(sum.BestStep(), 0.75, 1e-9);
}

TEST(StepPolynomial, FindsTheBestOfSeveralMaxima) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    StepPolynomial polynomial;
    std::vector<double> coefficients(5);
    for (double& c : coefficients) c = 5 * random.Normal();
    polynomial.Add(coefficients);
    double best = polynomial.Value(0);
    for (int i = 1; i <= 1000; ++i) {
      best = std::max(best, polynomial.Value(i / 1000.0));
    }
    EXPECT_GE(polynomial.Value(polynomial.BestStep()), best - 1e-9);
  }
}

TEST(StepPolynomial, StaysWhereEveryStepLoses) {
  StepPolynomial falling;
  falling.Add(std::vector<double>{2, 1});
  EXPECT_EQ(falling.BestStep(), 0);
}

// The block under sums of permutations, each slot with a sum of its own: what
// soft matrices do to it, by definition.
std::vector<double> Expected(const Block& block, const float* data,
                             std::span<const Alignment> alignments,
                             std::span<const double> shares) {
  const Block dense = DenseBlock(block);
  std::vector<double> out(static_cast<size_t>(block.size()), 0.0);
  // Every choice of one alignment for each slot, as digits of a number.
  const size_t count = alignments.size();
  size_t choices = 1;
  for (size_t s = 0; s < block.slots.size(); ++s) choices *= count;
  for (size_t choice = 0; choice < choices; ++choice) {
    double share = 1;
    std::vector<int64_t> from = {0}, to = {0};
    size_t digits = choice;
    for (size_t s = 0; s < block.slots.size(); ++s, digits /= count) {
      const Alignment& picked = alignments[digits % count];
      share *= shares[digits % count];
      const auto here = Offsets(dense.slots[s]);
      const auto there = Offsets(block.slots[s], picked);
      std::vector<int64_t> next_from, next_to;
      for (size_t i = 0; i < from.size(); ++i) {
        for (size_t j = 0; j < here.size(); ++j) {
          next_from.push_back(from[i] + there[j]);
          next_to.push_back(to[i] + here[j]);
        }
      }
      from = std::move(next_from);
      to = std::move(next_to);
    }
    for (size_t i = 0; i < from.size(); ++i)
      out[to[i]] += share * data[from[i]];
  }
  return out;
}

// Of a model in F32.
const float* FloatsOf(const Elements& elements) {
  return reinterpret_cast<const float*>(elements.data);
}

class SoftTerms : public ::testing::TestWithParam<testing::Network> {};

TEST_P(SoftTerms, ArePermutedSumsAfterAnySteps) {
  const SymmetryPtr symmetry = GetParam().symmetry;
  const Checkpoint model = testing::RandomModel(*symmetry, 5);
  ThreadPool pool(1);
  const Problem problem(model, model, symmetry, pool);
  const std::vector<Alignment> alignments = {Alignment::Random(symmetry, 1),
                                             Alignment::Random(symmetry, 2),
                                             Alignment::Random(symmetry, 3)};
  const std::vector<double> shares = {0.75 * 0.5, 0.25 * 0.5, 0.5};
  for (const Term& term : problem.terms()) {
    if (PermutableSlots(term.block) == 0) continue;
    SoftTerm soft(term.block, FloatsOf(term.a), alignments[0], 0);
    soft.Step(alignments[1], 0.25);
    soft.Step(alignments[2], 0.5);
    const auto found = soft.Softened(soft.all());
    const auto expected =
        Expected(term.block, FloatsOf(term.a), alignments, shares);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], 1e-5);
    }
  }
}

TEST_P(SoftTerms, ComeToTheMeanOverASlotWhereNothingIsKnown) {
  const SymmetryPtr symmetry = GetParam().symmetry;
  const Checkpoint model = testing::RandomModel(*symmetry, 5);
  ThreadPool pool(1);
  const Problem problem(model, model, symmetry, pool);
  for (const Term& term : problem.terms()) {
    if (PermutableSlots(term.block) == 0) continue;
    const SoftTerm soft(term.block, FloatsOf(term.a), Alignment(symmetry), 1);
    const auto original = soft.Softened(0), mean = soft.Softened(soft.all());
    EXPECT_NEAR(std::accumulate(mean.begin(), mean.end(), 0.0),
                std::accumulate(original.begin(), original.end(), 0.0), 1e-3);
    const int64_t fixed = term.block.slots.back().root == kNoGroup
                              ? term.block.slots.back().size()
                              : 1;
    for (size_t i = 0; i < mean.size(); ++i) {
      ASSERT_NEAR(mean[i], mean[i % fixed], 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, SoftTerms,
    ::testing::Values(
        testing::Network{"mlp", testing::Mlp({5, 4, 6, 3})},
        testing::Network{"recurrent", testing::Recurrent(3, 5, 2)},
        testing::Network{"attention", testing::Attention(6, 2, 3)},
        testing::Network{"grouped_convolution",
                         testing::GroupedConvolution(2, 3)}));

// Sum over all pairs of the inner products of their permuted weights, over the
// tensors that some group permutes.
double BruteObjective(const std::vector<Checkpoint>& models,
                      const SymmetryPtr& symmetry,
                      const std::vector<Alignment>& alignments) {
  std::vector<Checkpoint> moved;
  for (size_t m = 0; m < models.size(); ++m) {
    moved.push_back(testing::ReferencePermute(models[m], alignments[m]));
  }
  double objective = 0;
  for (const TensorSymmetry& tensor : symmetry->tensors()) {
    int permutable = 0;
    for (const Block& block : TensorBlocks(*symmetry, tensor)) {
      permutable += PermutableSlots(block);
    }
    if (permutable == 0) continue;
    for (size_t x = 0; x < models.size(); ++x) {
      const auto a = FloatsInPlace(*moved[x].Find(tensor.name));
      for (size_t y = 0; y < x; ++y) {
        const auto b = FloatsInPlace(*moved[y].Find(tensor.name));
        objective += std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
      }
    }
  }
  return objective;
}

class FrankWolfeMatch : public ::testing::TestWithParam<testing::Network> {
 protected:
  FrankWolfeMatch() {
    for (uint64_t m = 0; m < 4; ++m) {
      models_.push_back(testing::RandomModel(*symmetry_, 10 + m));
    }
  }

  FrankWolfeOutcome Run(double softness, int threads = 2,
                        int steps = 100) const {
    std::vector<SoftStart> starts;
    for (uint64_t m = 0; m < models_.size(); ++m) {
      starts.push_back({Alignment::Random(symmetry_, m), softness});
    }
    ThreadPool pool(threads);
    return MatchByFrankWolfe(models_, symmetry_, starts, {.max_steps = steps},
                             pool);
  }

  SymmetryPtr symmetry_ = GetParam().symmetry;
  std::vector<Checkpoint> models_;
};

TEST_P(FrankWolfeMatch, ReportsTheObjectiveThatBruteForceFinds) {
  const FrankWolfeOutcome outcome = Run(0, 2, 1);
  std::vector<Alignment> starts;
  for (uint64_t m = 0; m < models_.size(); ++m) {
    starts.push_back(Alignment::Random(symmetry_, m));
  }
  const double brute = BruteObjective(models_, symmetry_, starts);
  EXPECT_NEAR(outcome.objective_by_step.front(), brute,
              1e-5 * (1 + std::abs(brute)));
}

TEST_P(FrankWolfeMatch, NeverLowersTheObjective) {
  const FrankWolfeOutcome outcome = Run(0.9);
  const std::vector<double>& objective = outcome.objective_by_step;
  ASSERT_GT(objective.size(), 2u);
  for (size_t s = 1; s < objective.size(); ++s) {
    // Up to the rounding of the softened weights.
    EXPECT_GE(objective[s], objective[s - 1] * (1 - 1e-6));
  }
  EXPECT_GT(BruteObjective(models_, symmetry_, outcome.alignments),
            objective.front());
}

TEST_P(FrankWolfeMatch, IsTheSameForAnyNumberOfThreads) {
  const FrankWolfeOutcome one = Run(0.9, 1), three = Run(0.9, 3);
  EXPECT_EQ(one.alignments, three.alignments);
  EXPECT_EQ(one.objective_by_step, three.objective_by_step);
}

INSTANTIATE_TEST_SUITE_P(Networks, FrankWolfeMatch,
                         ::testing::ValuesIn(testing::SmallNetworks()));
INSTANTIATE_TEST_SUITE_P(WideGroups, FrankWolfeMatch,
                         ::testing::Values(testing::Network{
                             "grouped_convolution",
                             testing::GroupedConvolution(4, 5)}));

}  // namespace
}  // namespace rebasin
