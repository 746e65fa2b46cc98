// Weight matching: finds the alignment of model B that brings its weights
// closest to those of model A.
//
//   const rebasin::MatchResult found = rebasin::MatchWeights(a, b, symmetry);
//   std::cout << found.report.objective_before << " -> "
//             << found.report.objective_after << "\n";
//   const auto moved = rebasin::Permute(b, found.alignment);
//
// The objective is the inner product of all matched weights of A and the
// permuted B; maximising it minimises the distance. It is maximised by
// coordinate descent over the groups (Git Re-Basin, Algorithm 1), by default
// from a start that is found by matching one group after another; see
// docs/algorithms.md.

#ifndef REBASIN_MATCH_H_
#define REBASIN_MATCH_H_

#include <cstdint>
#include <filesystem>
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

// Where coordinate descent starts.
enum class MatchStart {
  // Matches groups one after another, each by its axes that are fixed or
  // already matched, and the groups with most such elements first. Fast; exact
  // on permuted copies.
  kAnchored,
  // Soft permutations at a falling temperature. Takes about 50 to 100 times as
  // long as kAnchored; better on deep, noisy or narrow networks.
  kAnnealed,
  // Both of these; the better objective wins.
  kBest,
  // The identity, as in the paper.
  kIdentity,
  // Starts from MatchOptions::from.
  kGiven,
};

// How units are compared by their activations.
enum class ActivationCost {
  // Inner products, as in the paper: the least squares of its equation 1.
  kProduct,
  // Correlations. Units whose activation is constant count as 0.
  kCorrelation,
};

// Options of MatchWeights.
struct MatchOptions {
  MatchStart start = MatchStart::kAnchored;
  // The alignment to start from, of the same symmetry (kGiven only). The result
  // is never worse. Must outlive the call.
  const Alignment* from = nullptr;
  // Groups, by index, whose permutations stay as in `from` (kGiven only). Inner
  // groups stay with their outermost group.
  std::vector<int> keep = {};
  // Visits the groups of each pass in random order, as in the paper, instead of
  // visiting the groups with most evidence first.
  bool random_order = false;
  // One forward pass instead of a descent; each layer is matched only by its
  // incoming weights. A baseline, as in uni-directional methods.
  bool greedy = false;
  // Additional starts, from random orders and from scrambled copies of the best
  // result; the best objective wins.
  int restarts = 0;
  // The limit for each descent.
  int max_passes = 100;
  // Matches copies of the models in which the incoming and outgoing weights of
  // every unit have equal norm. This undoes the rescaling symmetry of ReLU
  // networks.
  bool balance = false;
  // Memory for cost matrices that are kept, in bytes. Others are recomputed
  // when their neighbours change. What is kept may change results by rounding.
  int64_t cost_memory = int64_t{1} << 30;
  // If not 0: a bound for all memory of matching beyond mapped files, in bytes,
  // from which the memory for kept costs follows. Pages of mapped files are
  // given back after use.
  int64_t memory = 0;
  // If not empty: a file in which the state is written every `state_seconds`
  // (less often if that takes long), to go on from after an interruption with
  // the same result as without one. For the starts kAnchored, kIdentity and
  // kGiven without restarts; keeps fewer costs in memory. The caller removes
  // the file when the result is safe.
  std::filesystem::path state_file = {};
  double state_seconds = 60;
  // Goes on from the state in the file.
  bool resume = false;
};

// How well one tensor matches.
struct TensorMatch {
  std::string name;
  double norm_a = 0, norm_b = 0;  // Euclidean norms
  double dot_before = 0;          // inner product of A and B
  double dot_after = 0;           // inner product of A and the permuted B

  // The Euclidean distance between A and B, or the permuted B.
  double DistanceBefore() const;
  double DistanceAfter() const;
};

// The quality of an alignment, and how it was found.
struct MatchReport {
  // Inner product of all matched weights, before and after.
  double objective_before = 0, objective_after = 0;
  double norm_a = 0, norm_b = 0;
  // The objective at the start of the descent and after each pass; never
  // decreases. With MatchOptions::balance, that of the balanced copies.
  std::vector<double> objective_by_pass;
  std::vector<TensorMatch> tensors;
  std::vector<int64_t> units_moved;  // by group
  std::string start;                 // name of the winning start
  int passes = 0;
  bool converged = false;
  // The identity is as good as the best alignment found.
  bool already_aligned = false;
  double seconds = 0;
  double gemm_seconds = 0;  // part of `seconds` spent in matrix products
  double gemm_flops = 0;
};

// The alignment moves B to A.
struct MatchResult {
  Alignment alignment;
  MatchReport report;
};

// Matches B to A. The same inputs, options and seed give the same alignment for
// any number of threads. Time is dominated by matrix products: about one
// product of A and B for each tensor and pass.
//
// Throws Error(kMismatch) if the models differ in names, shapes or element
// types or do not fit the symmetry, Error(kBadInput) if a value is not finite,
// Error(kLimit), before anything is read, if options.memory is too little, and
// Error(kUsage) or Error(kMismatch) if options.state_file cannot be used.
MatchResult MatchWeights(const Checkpoint& a, const Checkpoint& b,
                         std::shared_ptr<const Symmetry> symmetry,
                         const MatchOptions& options = {}, const Run& run = {});

// Measures an alignment that was found by any method. Fills the fields of the
// report that do not depend on the method. Throws what MatchWeights throws.
MatchReport DescribeAlignment(const Checkpoint& a, const Checkpoint& b,
                              const Alignment& alignment, const Run& run = {});

// Throws Error(kMismatch) unless both checkpoints have the same tensor names,
// shapes and element types. The message says what differs and why it may.
void CheckSameStructure(const Checkpoint& a, const Checkpoint& b);

// Matching modulo scalings: the units of B are permuted, and rescaled and
// flipped if the symmetry has scales and signs, so that they come closest to
// A's.
//
// Scales: each model is rescaled to the smallest weights that compute the same
// function. Models that differ only by scales then become equal. The rescaled
// models are matched, and the alignment maps B into the scales of the original
// A, which stays as it is. Merging A with the aligned B gives the same function
// as merging the rescaled models, because scaling acts on each element
// separately.
//
// Signs are found by the functions below.

// Matches by weights. Signs are found together with the permutations: each unit
// with a sign is written twice, as (w, -w). This doubles the memory for each
// axis with signs. If several signs meet in one place, all but one are fitted
// afterwards, as in MatchScaled.
//
// The report describes the rescaled models, and `units_moved` only
// permutations. MatchOptions::from is used with its signs but without its
// scales. Throws what MatchWeights throws.
MatchResult MatchWeightsScaled(const Checkpoint& a, const Checkpoint& b,
                               std::shared_ptr<const Symmetry> symmetry,
                               const MatchOptions& options = {},
                               const Run& run = {});

// A method that matches two models with a symmetry without scalings. The models
// are valid only during the call.
using PlainMatch =
    std::function<MatchResult(const Checkpoint& a, const Checkpoint& b,
                              const std::shared_ptr<const Symmetry>& symmetry)>;

// Matches by any method. Signs are fitted to the permutations that it finds:
// each is set to its best value, given the others, until none changes.
MatchResult MatchScaled(const Checkpoint& a, const Checkpoint& b,
                        std::shared_ptr<const Symmetry> symmetry,
                        const PlainMatch& match, const Run& run = {});

// Matching many models: one alignment for each, which bring all of them
// together.

// How many models are matched.
enum class ManyMethod {
  // MergeMany (Git Re-Basin, Algorithm 4): matches each model in turn to the
  // mean of all others until nothing improves. If this does not converge soon,
  // the models are first annealed together, with doubly stochastic matrices as
  // soft permutations and a falling temperature. Needs memory for one more copy
  // of all models and one matrix for each group of each model.
  kMergeMany,
  // kMergeMany, and a second time after slower annealing; the better result
  // counts. It does not depend on the order of the models, except for ties. The
  // first model is not permuted. Takes about four times as long.
  kConsistent,
  // All models and groups at once (C2M3): Frank-Wolfe over doubly stochastic
  // matrices with one exact line search for all, from several soft starts, each
  // followed by rounds of MergeMany. Does not depend on the order of the
  // models, like kConsistent. Slower; needs memory for up to four copies of all
  // models.
  kFrankWolfe,
};

// A function that matches `model` to `target`, the mean of other models, and
// returns how to permute the model from its current state. Both have all
// tensors, arithmetic ones as F32, and are valid only during the call.
using ManyStep =
    std::function<Alignment(const Checkpoint& target, const Checkpoint& model)>;

// Options of MatchMany.
struct ManyOptions {
  ManyMethod method = ManyMethod::kMergeMany;
  MatchOptions match;
  int max_rounds = 100;
  // Stops after a round that lowers the spread by less than this share of the
  // total decrease. With 0, stops when nothing moves; a few units may then keep
  // moving for many rounds with almost no gain.
  double min_gain = 1e-3;
  // For kMergeMany: replaces weight matching. The spread may then rise; rounds
  // end when nothing moves, or after three rounds without a new lowest spread.
  // The result is the state with the lowest spread.
  ManyStep step = {};
};

// The result of MatchMany.
struct ManyResult {
  std::vector<Alignment> alignments;  // one for each model
  int rounds = 0;
  bool converged = false;
  // The spread at the start and after each round: the sum over models of the
  // squared distance to their mean, in the weights that are matched (the
  // balanced ones with MatchOptions::balance). Only kMergeMany reports every
  // round; the other methods report those with a new lowest spread. Never
  // increases, except with ManyOptions::step.
  std::vector<double> spread_by_round;
  // The distance between each pair of models in the matched weights, before and
  // after alignment: an n x n matrix, row by row.
  std::vector<double> distances_before, distances_after;
};

// Finds one alignment for each model. Together they minimise the sum of squared
// distances over all pairs, which is n times the spread. The result is the same
// for any number of threads. Throws Error(kUsage) for fewer than two models,
// and what MatchWeights throws.
ManyResult MatchMany(std::span<const Checkpoint> models,
                     std::shared_ptr<const Symmetry> symmetry,
                     const ManyOptions& options = {}, const Run& run = {});

// How fast this machine does what matching consists of.
struct MatchSpeed {
  double flops = 0;           // operations of matrix products in a second
  double bfloat16_flops = 0;  // the same for bfloat16 models
  double bytes = 0;           // of weights that are measured in a second
  double solved = 0;  // entries of cost matrices in a second, with one thread
};

// Measures it, in about a quarter of a second.
MatchSpeed MeasureMatchSpeed(const Run& run = {});

// The estimated work for one group of units and the groups inside it.
struct GroupEstimate {
  std::string group;
  // Matrix products of the start, and of later passes.
  double start_flops = 0, pass_flops = 0;
  double start_seconds = 0, pass_seconds = 0;
  int64_t cost_bytes = 0;   // cost matrices
  bool keeps_costs = true;  // in memory between visits
};

// The estimated work of matching two models by weights. Times are for models
// that are related, such as permuted copies with noise as large as the weights.
// Unrelated ones take longer, because later passes find more to change.
struct MatchEstimate {
  double flops = 0;       // operations of matrix products
  double cost_bytes = 0;  // of the cost matrices that are kept
  double memory = 0;      // the peak beyond mapped files, in bytes
  double seconds = 0;
  double unrelated_seconds = 0;
  double reading_seconds = 0;  // a part of `seconds`: passes over weights
  std::vector<GroupEstimate> groups;  // in the order of the first visits
};

// Estimates the work for models like `model`. Throws Error(kLimit), naming a
// group, if it cannot be done within options.memory.
MatchEstimate EstimateMatch(const Checkpoint& model,
                            std::shared_ptr<const Symmetry> symmetry,
                            const MatchOptions& options,
                            const MatchSpeed& speed);

// Returns how often each of many models is typically matched.
int TypicalVisits(ManyMethod method);

}  // namespace rebasin

#endif  // REBASIN_MATCH_H_
