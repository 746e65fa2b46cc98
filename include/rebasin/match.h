// Weight matching: finds the alignment of model B that brings its weights
// closest to model A's.
//
// The objective is the inner product of all matched weights of A with those of
// the permuted B; maximising it minimises the distance. It is maximised by
// coordinate descent over the groups (Git Re-Basin, Algorithm 1), from a start
// that is not a lottery; see docs/algorithms.md.

#ifndef REBASIN_MATCH_H_
#define REBASIN_MATCH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/run.h"
#include "rebasin/symmetry.h"

namespace rebasin {

enum class MatchStart {
  // Groups anchored by fixed or already matched axes first, most evidence
  // first. Fast; exact on permuted copies.
  kAnchored,
  // Soft permutations at falling temperature. Costs some 50 to 100 times the
  // anchored start; better on deep, noisy or narrow networks.
  kAnnealed,
  // Both; the better objective wins.
  kBest,
  // The identity, as in the paper.
  kIdentity,
  // MatchOptions::from.
  kGiven,
};

// How units are compared by their activations.
enum class ActivationCost {
  // Sums of products, as in the paper: the least squares of its equation 1.
  kProduct,
  // Centred and normalised; units that never change are worth nothing.
  kCorrelation,
};

struct MatchOptions {
  MatchStart start = MatchStart::kAnchored;
  // An alignment of the same symmetry to start from (kGiven). The result is
  // never worse than it.
  const Alignment* from = nullptr;
  // Groups, by index, whose permutations stay as they are in `from` (kGiven).
  // Inner groups go with their outermost one.
  std::vector<int> keep = {};
  // Visit the groups of each pass in random order, as in the paper, instead of
  // the order of evidence.
  bool random_order = false;
  // No descent: one forward pass in which each layer is matched by its incoming
  // weights alone, as uni-directional methods do. A baseline.
  bool greedy = false;
  // Further starts, from random orders and from scrambled copies of the best;
  // the best objective wins.
  int restarts = 0;
  int max_passes = 100;
  // Match copies of the models in which every unit's incoming and outgoing
  // weights have equal norm. Undoes the rescaling symmetry of ReLU networks.
  bool balance = false;
  // Cost matrices are kept between visits while they fit here, and recomputed
  // otherwise.
  int64_t cost_memory = int64_t{2} << 30;
};

struct TensorMatch {
  std::string name;
  double norm_a = 0, norm_b = 0;  // Euclidean norms
  double dot_before = 0;          // inner product of A and B as they are
  double dot_after = 0;           // ... and of A and the permuted B

  double DistanceBefore() const;
  double DistanceAfter() const;
};

struct MatchReport {
  // Inner product of all matched weights, before and after.
  double objective_before = 0, objective_after = 0;
  double norm_a = 0, norm_b = 0;
  // The objective at the start of the descent and after each of its passes (of
  // the balanced copies where those were matched); never decreases.
  std::vector<double> objective_by_pass;
  std::vector<TensorMatch> tensors;
  std::vector<int64_t> units_moved;  // by group
  std::string start;                 // which start won
  int passes = 0;
  bool converged = false;
  // The identity is as good as anything that was found.
  bool already_aligned = false;
  double seconds = 0;
  double gemm_seconds = 0;  // of these, in matrix products
  double gemm_flops = 0;
};

struct MatchResult {
  Alignment alignment;
  MatchReport report;
};

// Throws Error(kMismatch) if the models differ in names, shapes or element
// types or do not fit the symmetry, Error(kBadInput) on values that are not
// finite. The same inputs, options and seed give the same alignment for any
// number of threads.
MatchResult MatchWeights(const Checkpoint& a, const Checkpoint& b,
                         std::shared_ptr<const Symmetry> symmetry,
                         const MatchOptions& options = {}, const Run& run = {});

// What an alignment, found by whatever means, comes to: the parts of a report
// that do not tell how it was found. Throws what MatchWeights throws.
MatchReport DescribeAlignment(const Checkpoint& a, const Checkpoint& b,
                              const Alignment& alignment, const Run& run = {});

// Throws Error(kMismatch) unless both checkpoints hold the same tensor names,
// shapes and element types; says what differs and suggests why.
void CheckSameStructure(const Checkpoint& a, const Checkpoint& b);

// Matching modulo scalings: B's units are permuted and, where the
// symmetry has scalings, rescaled and flipped so that they come closest to A's.
//
// Scales: both models are rescaled to the smallest weights that they can have,
// which any two models that differ by scales share, and these are matched. The
// alignment then leads from B by way of the two into A's own scales; A stays as
// it is. Scaling multiplies element by element, so a merge of A and the aligned
// B is the same function as that of the rescaled models.
//
// Signs: see MatchWeightsScaled and MatchScaled.

// By weights; signs are found together with the permutations, by matching
// models in which each unit with a sign stands twice, (w, -w); where several
// signs meet in one place all but one are fitted afterwards, as below. These
// models take twice the memory for each axis with signs. Reports tell of the
// rescaled models, and `units_moved` of permutations. MatchOptions::from counts
// with its signs, but not with its scales. Throws what MatchWeights throws.
MatchResult MatchWeightsScaled(const Checkpoint& a, const Checkpoint& b,
                               std::shared_ptr<const Symmetry> symmetry,
                               const MatchOptions& options = {},
                               const Run& run = {});

// Any way to match two models, given the symmetry without its scalings. The
// models are valid during the call only.
using PlainMatch =
    std::function<MatchResult(const Checkpoint& a, const Checkpoint& b,
                              const std::shared_ptr<const Symmetry>& symmetry)>;

// By any method; signs are fitted to the permutations that it finds, each the
// best while the others stay, until none changes.
MatchResult MatchScaled(const Checkpoint& a, const Checkpoint& b,
                        std::shared_ptr<const Symmetry> symmetry,
                        const PlainMatch& match, const Run& run = {});

// Matching many models: one alignment for each, which bring all of them
// together.

enum class ManyMethod {
  // MergeMany (Git Re-Basin, Algorithm 4): each model in turn is matched to the
  // mean of all others, until nothing improves. Unless that is soon the case,
  // the models are first annealed together: softly permuted, by doubly
  // stochastic matrices, at a temperature that falls. Memory for another copy
  // of all models, and a matrix for each of their groups.
  kMergeMany,
  // The same, and once more from models that were annealed more slowly; the
  // better one counts. The same for any order of the models (up to ties): it
  // uses one of its own. The first model stays as it is. Takes some four times
  // as long.
  kConsistent,
  // All models and groups at once, by Frank-Wolfe over doubly stochastic
  // matrices with one exact line search for all, from several soft starts, each
  // followed by MergeMany's rounds (C2M3). As kConsistent, the same for any
  // order of the models. Slower, and memory for up to four copies of all
  // models.
  kFrankWolfe,
};

// Matches `model` to `target`, the mean of other models: how the model is to be
// permuted, from where it stands. Both have all tensors of the models, the
// arithmetic ones as F32, and are valid during the call only.
using ManyStep =
    std::function<Alignment(const Checkpoint& target, const Checkpoint& model)>;

struct ManyOptions {
  ManyMethod method = ManyMethod::kMergeMany;
  MatchOptions match;
  int max_rounds = 100;
  // Rounds end with one that lowers the spread by less than this share of what
  // all rounds did so far; with 0, when nothing moves. A few units may go on
  // changing places for long and for almost nothing.
  double smallest_gain = 1e-3;
  // Instead of weight matching, for kMergeMany. Nothing is assumed about it:
  // the spread may rise, and rounds end when nothing moves or no smaller spread
  // was found for three rounds. The result is what had the smallest spread
  // after a round.
  ManyStep step = {};
};

struct ManyResult {
  std::vector<Alignment> alignments;  // one for each model
  int rounds = 0;
  bool converged = false;
  // Sum over models of the squared distance to their mean in the weights that
  // are matched (with MatchOptions::balance, the balanced ones), at the start
  // and after each round; with the others than kMergeMany,
  // after those that brought a new low.
  // Never increases, unless by ManyOptions::step.
  std::vector<double> spread_by_round;
  // The distance of each pair of models in the weights that are matched, as
  // they are and as they are aligned: n x n, row by row.
  std::vector<double> distances_before, distances_after;
};

// Finds one alignment for each model that brings all of them together: which
// minimises the sum over all pairs of squared distances, n times the spread.
// Throws Error(kUsage) for fewer than two models, and what MatchWeights throws.
// The same result for any number of threads.
ManyResult MatchMany(std::span<const Checkpoint> models,
                     std::shared_ptr<const Symmetry> symmetry,
                     const ManyOptions& options = {}, const Run& run = {});

// What matching two models takes, in order of magnitude.
struct MatchEstimate {
  double flops = 0;       // floating-point operations
  double cost_bytes = 0;  // memory for cost matrices
};
MatchEstimate EstimateMatch(const Symmetry& symmetry,
                            const MatchOptions& options = {});

// How often each of many models is matched, as a rule.
int TypicalVisits(ManyMethod method);

}  // namespace rebasin

#endif  // REBASIN_MATCH_H_
