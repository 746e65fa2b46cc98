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
#include <memory>
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

}  // namespace rebasin

#endif  // REBASIN_MATCH_H_
