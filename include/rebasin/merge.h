// Permuting and merging models. Everything here works tensor by tensor, so that
// models may be larger than memory.

#ifndef REBASIN_MERGE_H_
#define REBASIN_MERGE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/match.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// The model with its units moved as the alignment says; all element types,
// statistics included. Tensors that no group touches share their bytes with
// the original. Throws Error(kMismatch) unless the model fits the alignment's
// symmetry, Error(kUnsupported) if elements smaller than a byte would move.
Checkpoint Permute(const Checkpoint& model, const Alignment& alignment,
                   const Run& run = {});

// The same, streamed into a file with some 40 MB of memory.
void PermuteToFile(const Checkpoint& model, const Alignment& alignment,
                   const std::filesystem::path& path,
                   const WriteOptions& options = {}, const Run& run = {});

// Whether A and B, moved as the alignment says (null: as it is), hold the same
// tensors, byte by byte. Reads no further than the first difference.
bool SameContent(const Checkpoint& a, const Checkpoint& b,
                 const Alignment* alignment = nullptr, const Run& run = {});

// The model with its numbers stored as `dtype` (F64, F32, F16 or BF16); tensors
// of other kinds, and those of that type already, share their bytes with the
// original. Converted tensors are held in memory. Throws Error(kBadInput) if a
// finite value overflows.
Checkpoint ConvertTypes(const Checkpoint& model, DType dtype);

enum class MergeMethod {
  kLinear,  // weighted mean
  kSlerp,   // along the great circle, tensor by tensor; two models only
};

// A model and how to permute it first; no alignment means as it is.
struct MergeInput {
  const Checkpoint* model = nullptr;
  const Alignment* alignment = nullptr;
};

struct MergeOptions {
  MergeMethod method = MergeMethod::kLinear;
  // One for each model, summing to 1; empty means equal shares.
  std::vector<double> weights = {};
  // Tensors that are copied from one model, given by its index, instead of
  // being mixed: see ChangedAlone in rebasin/three_way.h.
  std::map<std::string, size_t> taken = {};
  // With a base, two models are merged by their differences, ours + (theirs -
  // base), and have no weights. The result is one model's element, bit by bit,
  // where the other one has not changed it.
  MergeInput base = {};
  // Tensors of variances, besides those called running_var. A sum of
  // differences may be negative where a variance may not: they become no
  // smaller than the smaller one of the two models.
  std::set<std::string> variances = {};
  // Copy NaN and infinities into the result instead of refusing them.
  bool allow_nonfinite = false;
};

// The merged model in memory. Integer and other non-arithmetic tensors are
// copied from the first model (a warning tells if they differ); element types
// are kept, sums are taken in double, so that equal models give themselves.
// Throws Error(kUsage) for fewer than two models or weights that are no shares,
// Error(kMismatch) if the models differ in structure, Error(kBadInput) if a
// value is not finite or the result overflows its element type. The same bytes
// for any number of threads.
Checkpoint Merge(std::span<const MergeInput> models,
                 const MergeOptions& options = {}, const Run& run = {});

// The same, streamed into a file with some 40 MB of memory. The result's
// metadata is the first model's.
void MergeToFile(std::span<const MergeInput> models,
                 const std::filesystem::path& path,
                 const MergeOptions& options = {},
                 const WriteOptions& write_options = {}, const Run& run = {});

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

}  // namespace rebasin

#endif  // REBASIN_MERGE_H_
