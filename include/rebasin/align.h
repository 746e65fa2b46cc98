// Aligns two models by a named method, and plans whole merges.
//
//   const std::vector<rebasin::Model> models = rebasin::OpenModels(paths);
//   const rebasin::MatchResult found = rebasin::Align(models[0], models[1]);
//   rebasin::Prove(models[1], found.alignment);
//   rebasin::PermuteToFile(models[1].weights, found.alignment,
//                          "b-aligned.safetensors");
//
// The table of methods has the methods that need data too, but only
// AlignWithData in rebasin/nn/align.h runs them.

#ifndef REBASIN_ALIGN_H_
#define REBASIN_ALIGN_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rebasin/match.h"
#include "rebasin/merge.h"
#include "rebasin/model.h"
#include "rebasin/run.h"

namespace rebasin {

// A row of the table of methods: ways to align two models.
struct AlignMethod {
  const char* name;           // the value of --method: "weights", "ste", ...
  const char* help;           // one line
  bool needs_data = false;    // run by AlignWithData only
  bool needs_labels = false;  // the data must have labels
};

// Returns the table: recommended methods first, then baselines. Static storage.
std::span<const AlignMethod> AlignMethods();

// Returns the method's row, or nullptr if there is no such method.
const AlignMethod* FindAlignMethod(const std::string& name);

// Options of Align.
struct AlignOptions {
  // A name from AlignMethods().
  std::string method = "weights";
  // Options of the methods that match weights.
  MatchOptions match = {};
};

// Finds how B must be permuted so that its units are in A's order. Uses A's
// symmetry; if it has scalings, every method fits those as well. The result is
// the same for any number of threads.
//
// Throws Error(kUsage) if the method does not exist or needs data, and what
// MatchWeights throws. "weights" takes seconds for millions of weights.
MatchResult Align(const Model& a, const Model& b,
                  const AlignOptions& options = {}, const Run& run = {});

// The same for weights with a given symmetry.
MatchResult Align(const Checkpoint& a, const Checkpoint& b,
                  const std::shared_ptr<const Symmetry>& symmetry,
                  const AlignOptions& options = {}, const Run& run = {});

// Merging models in one call: PlanMerge aligns them, proves that permuting did
// not change their functions, and decides how they are combined. Models without
// a base are averaged; models with a common base may be merged by adding both
// changes.
//
//   const std::vector<rebasin::Model> models = rebasin::OpenModels(paths);
//   const rebasin::MergePlan plan = rebasin::PlanMerge(models);
//   rebasin::MergeToFile(plan.Inputs(), "merged.safetensors", plan.Settings());

// A function that aligns B to A. Both have the same structure.
using Aligner = std::function<MatchResult(const Model& a, const Model& b)>;

// Options of PlanMerge.
struct MergeModelsOptions {
  // If false, the models are merged without alignment.
  bool align = true;
  // The alignment method for two models.
  AlignOptions alignment = {};
  // Aligns two models instead of `alignment`; for methods that need data.
  Aligner aligner = {};
  // Aligns all models jointly, by MatchMany with `many`. If false, the second
  // model is aligned to the first. More than two models are always aligned
  // jointly.
  bool jointly = false;
  ManyOptions many = {};
  // How aligned models are averaged.
  MergeMethod interpolation = MergeMethod::kLinear;
  // The weights of the models, summing to 1; empty: equal weights.
  std::vector<double> shares = {};
  // How two models with a common base are merged.
  ThreeWay three_way = ThreeWay::kAuto;
  // Runs each model that moves against its permuted copy; see Prove.
  bool verify = true;
  // Copies NaN and infinities into the result instead of refusing them.
  bool allow_nonfinite = false;
};

// What PlanMerge decided. Refers to the models that were given, which must
// outlive it. Do not copy while results of Inputs() are in use.
struct MergePlan {
  std::vector<const Model*> models = {};
  const Model* base = nullptr;  // null: there is none
  // One for each model; empty: the models are not aligned.
  std::vector<Alignment> alignments = {};
  // Of the base, if it had to be permuted.
  std::optional<Alignment> base_alignment = {};
  std::vector<double> shares = {};
  bool adds_changes = false;  // the result is ours + (theirs - base)
  // The merge options, except `base`; use Settings().
  MergeOptions settings = {};

  // Details for reports.
  // For two models: the match that permutes the second.
  std::optional<MatchResult> match = {};
  std::optional<ManyResult> many = {};  // for jointly aligned models
  std::optional<ThreeWayChoice> three_way = {};
  std::optional<ThreeWayEvidence> evidence = {};
  size_t tensors_copied = 0;              // tensors that only one model changed
  std::vector<VerifyReport> proofs = {};  // one for each model that moves

  // The arguments for Merge and MergeToFile. They point into this plan.
  std::vector<MergeInput> Inputs() const;
  // The options for Merge and MergeToFile. They point into this plan.
  MergeOptions Settings() const;
  // Returns the models in memory, permuted as planned.
  std::vector<Checkpoint> Aligned(const Run& run = {}) const;
};

// Aligns `models`, proves the alignments, and decides how to merge. The models
// must come from one call of OpenModels. Writes nothing; call Merge or
// MergeToFile with the result.
//
// Throws Error(kUsage) for fewer than two models, Error(kMismatch) if a
// permuted model does not compute the same function, and what Align, MatchMany
// and PlanThreeWay throw.
MergePlan PlanMerge(std::span<const Model> models,
                    const MergeModelsOptions& options = {},
                    const Model* base = nullptr, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_ALIGN_H_
