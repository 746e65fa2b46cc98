// Merging models: means, and changes against a base added up. Everything here
// works tensor by tensor, so that models may be larger than memory.

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
  // being mixed: see ChangedAlone.
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

// Three-way merges: two models that come from a third one, their base.
//
// Two models of one line of training (fine-tuned from the base, or an older and
// a newer state of it) lie in one basin, unit by unit, and their changes can be
// added: ours + (theirs - base). That is what `git revert` and `git
// cherry-pick` mean by a change. Models that were trained apart share no such
// line; after alignment they are averaged.

enum class ThreeWay {
  kAuto,   // by the evidence: see ChooseThreeWay
  kDelta,  // ours + (theirs - base)
  kMean,   // what one model alone has changed is taken, the rest is averaged
};

// How far two models have moved away from their base, over all floating-point
// tensors with at least two axes longer than 1. (The vectors beside them, such
// as the gains of norms, are alike even in models trained apart.)
struct ThreeWayEvidence {
  double ours = 0;    // |ours - base| / |base|
  double theirs = 0;  // |theirs - base| / |base|
  double cosine = 0;  // between the two changes; 0 if there is only one
};

// All of them as their alignments present them. Requires the same structure.
// One pass over the models; the same numbers for any number of threads.
ThreeWayEvidence MeasureChanges(const MergeInput& ours,
                                const MergeInput& theirs,
                                const MergeInput& base, const Run& run = {});

// Beyond this size a change is no fine-tuning: fine-tuned models were measured
// at 0.03 to 0.35, models trained from another start at 1.1 and more, aligned
// or not (docs/git.md).
inline constexpr double kLargestChange = 0.5;
// Beyond this cosine both changes are largely the same one, and their sum would
// make it twice.
inline constexpr double kLargestOverlap = 0.5;

struct ThreeWayChoice {
  bool delta = false;
  std::string why;  // one line, with the numbers
};

// kDelta if both changes are at most kLargestChange and overlap by at most
// kLargestOverlap, else kMean.
ThreeWayChoice ChooseThreeWay(const ThreeWayEvidence& evidence);

// Finds how `model` is to be permuted so that its units stand in `target`'s
// order.
using Matcher =
    std::function<Alignment(const Checkpoint& target, const Checkpoint& model)>;

struct ThreeWayPlan {
  ThreeWayChoice choice;
  std::optional<ThreeWayEvidence> evidence;  // none for ThreeWay::kMean
  // To the order of ours; none without a matcher.
  std::optional<Alignment> theirs, base;
};

// Decides between the two and aligns accordingly: for differences theirs is
// matched to the base and the base to ours, so that a difference is always one
// of the same units; for the mean theirs is matched to ours. Without a matcher
// the models are taken as they are. Throws Error(kMismatch) if the models
// differ in structure; the base may lack tensors only with ThreeWay::kMean. The
// matcher is called two times, three if kAuto ends with the mean.
ThreeWayPlan PlanThreeWay(const Checkpoint& ours, const Checkpoint& theirs,
                          const Checkpoint& base, ThreeWay rule,
                          const Matcher& match, const Run& run = {});

// The tensors that are copied from one model, and its index.
//
// ChangedAlone: those that exactly one of the models, as it is aligned, has
// otherwise than the base. Tensors that the base does not have, or with another
// type or shape, count as changed by all. Throws Error(kMismatch) as Merge
// does.
std::map<std::string, size_t> ChangedAlone(std::span<const MergeInput> models,
                                           const MergeInput& base,
                                           const Run& run = {});

// ChangedAlike: those that all models have changed to the same bytes: one
// change made several times, to be kept once.
std::map<std::string, size_t> ChangedAlike(std::span<const MergeInput> models,
                                           const MergeInput& base,
                                           const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_MERGE_H_
