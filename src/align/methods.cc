#include "align/methods.h"

#include <utility>
#include <vector>

#include "match/soft/sinkhorn_rebasin.h"
#include "rebasin/match.h"

namespace rebasin {
namespace {

using SymmetryPtr = std::shared_ptr<const Symmetry>;

MatchResult Described(Alignment alignment, const char* start,
                      const Checkpoint& a, const Checkpoint& b,
                      const Run& run) {
  MatchReport report = DescribeAlignment(a, b, alignment, run);
  report.start = start;
  report.converged = true;
  return {std::move(alignment), std::move(report)};
}

MatchResult ByIdentity(const Checkpoint& a, const Checkpoint& b,
                       const SymmetryPtr& symmetry, const MatchOptions&,
                       const Run& run) {
  return Described(Alignment(symmetry), "identity", a, b, run);
}

MatchResult ByRandomPermutation(const Checkpoint& a, const Checkpoint& b,
                                const SymmetryPtr& symmetry,
                                const MatchOptions&, const Run& run) {
  return Described(Alignment::Random(symmetry, run.seed), "random", a, b, run);
}

MatchResult ByWeights(const Checkpoint& a, const Checkpoint& b,
                      const SymmetryPtr& symmetry, const MatchOptions& options,
                      const Run& run) {
  return symmetry->scalings().empty()
             ? MatchWeights(a, b, symmetry, options, run)
             : MatchWeightsScaled(a, b, symmetry, options, run);
}

MatchResult ByGreedyPass(const Checkpoint& a, const Checkpoint& b,
                         const SymmetryPtr& symmetry,
                         const MatchOptions& options, const Run& run) {
  MatchOptions greedy = options;
  greedy.greedy = true;
  return ByWeights(a, b, symmetry, greedy, run);
}

// Algorithm 1 as the paper states it.
MatchResult ByAlgorithm1(const Checkpoint& a, const Checkpoint& b,
                         const SymmetryPtr& symmetry,
                         const MatchOptions& options, const Run& run) {
  MatchOptions paper = options;
  paper.start = MatchStart::kIdentity;
  paper.random_order = true;
  return ByWeights(a, b, symmetry, paper, run);
}

MatchResult ByAlgorithm1OnePass(const Checkpoint& a, const Checkpoint& b,
                                const SymmetryPtr& symmetry,
                                const MatchOptions& options, const Run& run) {
  MatchOptions once = options;
  once.max_passes = 1;
  MatchResult found = ByAlgorithm1(a, b, symmetry, once, run);
  found.report.converged = true;  // only one pass was requested
  return found;
}

}  // namespace

std::span<const AlignMethodRow> AlignMethodRows() {
  static const std::vector<AlignMethodRow> rows = {
      {{"weights", "the closest weights (default)"}, ByWeights, true},
      {{"activations", "the most similar activations on data", true}},
      {{"best", "weights, activations or both: the lowest midpoint loss",
        true}},
      {{"ste", "the lowest midpoint loss, by gradients (straight-through)",
        true, true}},
      {{"identity", "no permutation"}, ByIdentity},
      {{"random", "a random permutation"}, ByRandomPermutation},
      {{"greedy", "one forward pass by incoming weights alone"},
       ByGreedyPass,
       true},
      {{"paper", "Algorithm 1 of the paper, without improvements"},
       ByAlgorithm1,
       true},
      {{"paper-once", "Algorithm 1 of the paper, one pass only"},
       ByAlgorithm1OnePass,
       true},
      {{"sinkhorn", "Sinkhorn re-basin: gradients of soft permutations"},
       MatchSinkhorn},
      {{"steepest", "steepest descent of A's loss (an idea that failed)", true,
        true}},
      {{"annealing", "simulated annealing of the midpoint loss", true, true}},
  };
  return rows;
}

}  // namespace rebasin
