// Merges models: weighted means, and sums of changes against a base.
//
//   const std::vector<rebasin::MergeInput> inputs = {{&a}, {&b, &alignment}};
//   rebasin::MergeToFile(inputs, "merged.safetensors", {.weights = {0.7,
//   0.3}});
//
// All functions work tensor by tensor, so models may be larger than memory.
// PlanMerge in rebasin/align.h aligns, proves and plans a merge in one call.

#ifndef REBASIN_MERGE_H_
#define REBASIN_MERGE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/match.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// How two or more models are averaged.
enum class MergeMethod {
  kLinear,  // weighted mean
  // Slerp: along a great circle, for each tensor separately. Two models only.
  kSlerp,
};

// A model and the alignment by which it is permuted first; null: not permuted.
// Both must outlive the call.
struct MergeInput {
  const Checkpoint* model = nullptr;
  const Alignment* alignment = nullptr;
};

// Options of Merge.
struct MergeOptions {
  MergeMethod method = MergeMethod::kLinear;
  // One weight for each model, summing to 1; empty: equal weights.
  std::vector<double> weights = {};
  // Tensors that are copied from one model, given by its index, instead of
  // being averaged. See TensorsChangedByOne.
  std::map<std::string, size_t> copied = {};
  // If set, two models are merged as ours + (theirs - base), and `weights` must
  // be empty. Elements that one model did not change are copied exactly from
  // the other.
  MergeInput base = {};
  // Names of tensors with variances, in addition to names that end in
  // running_var. A sum of changes could be negative; these values become at
  // least the smaller of the two models' values.
  std::set<std::string> variances = {};
  // Copies NaN and infinities into the result instead of throwing.
  bool allow_nonfinite = false;
};

// Returns the merged model in memory. Element types are kept; sums are computed
// in double, so that merging equal models gives the same model. Integer and
// other non-arithmetic tensors are copied from the first model, with a warning
// if they differ.
//
// Throws Error(kUsage) for fewer than two models or invalid weights,
// Error(kMismatch) if the models differ in structure, Error(kBadInput) if a
// value is not finite or the result overflows its element type. The result is
// bitwise the same for any number of threads.
Checkpoint Merge(std::span<const MergeInput> models,
                 const MergeOptions& options = {}, const Run& run = {});

// Writes the merged model to a file, with about 40 MB of memory. The metadata
// is that of the first model. Throws what Merge and CheckpointWriter throw.
void MergeToFile(std::span<const MergeInput> models,
                 const std::filesystem::path& path,
                 const MergeOptions& options = {},
                 const WriteOptions& write_options = {}, const Run& run = {});

// Three-way merges: two models that were trained from a common base.
//
// Models fine-tuned from the base, or an older and a newer state of one
// training run, lie in one basin without alignment. Their changes can be added:
// ours + (theirs - base), which is what `git revert` and `git cherry-pick` do
// with text. Models that were trained independently are aligned and averaged
// instead.

// How the changes of two models are combined.
enum class ThreeWay {
  kAuto,   // decided by ChooseThreeWay
  kDelta,  // ours + (theirs - base)
  // Tensors that one model changed are copied, the rest is averaged.
  kMean,
};

// How far two models are from their base, measured over all floating-point
// tensors with at least two axes longer than 1. Vectors such as the gains of
// norms are left out, because they are similar even in models trained
// independently.
struct ThreeWayEvidence {
  double ours = 0;    // |ours - base| / |base|
  double theirs = 0;  // |theirs - base| / |base|
  double cosine = 0;  // between both changes; 0 if one is zero
};

// Measures models after their alignments are applied. Requires the same
// structure. Reads each model once; the result is the same for any number of
// threads.
ThreeWayEvidence MeasureChanges(const MergeInput& ours,
                                const MergeInput& theirs,
                                const MergeInput& base, const Run& run = {});

// Larger relative changes are not treated as fine-tuning. Measured: 0.03 to
// 0.35 for fine-tuned models, 1.1 and more for models trained from another
// start, aligned or not (docs/git.md).
inline constexpr double kLargestChange = 0.5;
// With a larger cosine the two changes are largely the same, and their sum
// would apply it twice.
inline constexpr double kLargestOverlap = 0.5;

// The result of ChooseThreeWay.
struct ThreeWayChoice {
  bool delta = false;  // kDelta; otherwise kMean
  std::string why;     // one line, with the measured numbers
};

// Chooses kDelta if both changes are at most kLargestChange and their cosine is
// at most kLargestOverlap, else kMean.
ThreeWayChoice ChooseThreeWay(const ThreeWayEvidence& evidence);

// A function that returns how to permute `model` into the unit order of
// `target`.
using Matcher =
    std::function<Alignment(const Checkpoint& target, const Checkpoint& model)>;

// The result of PlanThreeWay.
struct ThreeWayPlan {
  ThreeWayChoice choice;
  std::optional<ThreeWayEvidence> evidence;  // empty for ThreeWay::kMean
  // Alignments to the order of `ours`; empty without a matcher.
  std::optional<Alignment> theirs, base;
};

// Chooses the rule and aligns the models. For kDelta, `theirs` is matched to
// `base`, and `base` to `ours`, so that changes are differences between the
// same units. For kMean, `theirs` is matched to `ours`. If `match` is empty,
// nothing is permuted.
//
// `match` is called twice, or three times if kAuto chooses kMean. Throws
// Error(kMismatch) if the models differ in structure; `base` may lack tensors
// only with ThreeWay::kMean.
ThreeWayPlan PlanThreeWay(const Checkpoint& ours, const Checkpoint& theirs,
                          const Checkpoint& base, ThreeWay rule,
                          const Matcher& match, const Run& run = {});

// Returns the tensors that exactly one of the aligned models changed, with the
// index of that model, for MergeOptions::copied. Tensors that the base does not
// have, or has with another type or shape, count as changed by all models.
// Throws Error(kMismatch) if the models differ in structure.
std::map<std::string, size_t> TensorsChangedByOne(
    std::span<const MergeInput> models, const MergeInput& base,
    const Run& run = {});

// Returns the tensors that all models changed to the same bytes: one change,
// which must be applied only once. The index is that of any of the models.
std::map<std::string, size_t> TensorsChangedAlike(
    std::span<const MergeInput> models, const MergeInput& base,
    const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_MERGE_H_
