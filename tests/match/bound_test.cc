#include "match/costs/bound.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/models.h"

namespace rebasin {
namespace {

struct TwoTerms {
  Checkpoint a, b;
  std::shared_ptr<const Symmetry> symmetry;
};

// The group's costs are the sum of two terms: "x", which is computed, and "y",
// which is only bounded.
TwoTerms MakeTerms(double noise, uint64_t seed) {
  const auto symmetry = testing::MakeSymmetry(
      {{"P", 12}}, {{"x", {"P", "20"}}, {"y", {"8", "P"}}});
  const Checkpoint a = testing::RandomModel(*symmetry, seed);
  return {a, testing::WithNoise(a, noise, seed + 50), symmetry};
}

std::vector<float> Gram(const Problem& problem, size_t term, int slot) {
  std::vector<float> gram(12 * 12, 0.0f);
  const Term& t = problem.terms()[term];
  const auto units = Offsets(t.block.slots[slot]);
  const auto rest = Offsets(t.block.slots[1 - slot]);
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 12; ++j) {
      for (int64_t k : rest) {
        gram[i * 12 + j] += t.a[units[i] + k] * t.b[units[j] + k];
      }
    }
  }
  return gram;
}

// If the proof succeeds, solving with the term computed must agree.
TEST(Bound, ProofIsNeverWrong) {
  int proved = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const double noise = 0.1 * static_cast<double>(seed % 20);
    const TwoTerms terms = MakeTerms(noise, seed);
    ThreadPool pool(1);
    const Problem problem(terms.a, terms.b, terms.symmetry, pool);
    const int slot = 0;  // the group's slot comes before the fixed one
    std::vector<float> gram = Gram(problem, 0, slot);
    const Assignment found = SolveAssignment(
        {.data = gram.data(), .n = 12, .stride = 12}, {.maximize = true});
    const auto rest = Offsets(problem.terms()[1].block.slots[1 - slot]);
    const std::vector<Contraction> contraction = {{.a = rest, .b = rest}};
    const std::vector<TermBound> bounds = {BoundTerm(
        problem.terms()[1], slot, contraction, found.column_of_row, pool)};
    if (!StaysOptimal(gram, found.column_of_row, found.duals.columns, bounds,
                      pool)) {
      continue;
    }
    ++proved;
    const std::vector<float> more = Gram(problem, 1, slot);
    for (size_t i = 0; i < gram.size(); ++i) gram[i] += more[i];
    const Assignment full = SolveAssignment(
        {.data = gram.data(), .n = 12, .stride = 12}, {.maximize = true});
    double value = 0;
    for (int i = 0; i < 12; ++i) {
      value += gram[i * 12 + found.column_of_row[i]];
    }
    EXPECT_NEAR(value, full.value, 1e-5);
  }
  EXPECT_GT(proved, 20);
  EXPECT_LT(proved, 180);
}

TEST(Bound, NormsAndChosenEntriesAreExact) {
  const TwoTerms terms = MakeTerms(1, 3);
  ThreadPool pool(2);
  const Problem problem(terms.a, terms.b, terms.symmetry, pool);
  const auto permutation = Random(4).Permutation(12);
  const auto rest = Offsets(problem.terms()[1].block.slots[1]);
  const std::vector<Contraction> contraction = {{.a = rest, .b = rest}};
  const auto bound =
      BoundTerm(problem.terms()[1], 0, contraction, permutation, pool);
  const std::vector<float> gram = Gram(problem, 1, 0);
  for (int i = 0; i < 12; ++i) {
    EXPECT_NEAR(bound.chosen[i], gram[i * 12 + permutation[i]], 1e-5);
    for (int j = 0; j < 12; ++j) {
      EXPECT_LE(std::abs(gram[i * 12 + j]),
                bound.norm_a[i] * bound.norm_b[j] + 1e-6);
    }
  }
}

}  // namespace
}  // namespace rebasin
