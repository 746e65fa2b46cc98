// Aligning two models: the ways to do it, by name.
//
//   const auto models = rebasin::OpenModels(paths);
//   const rebasin::MatchResult found = rebasin::Align(models[0], models[1]);
//   rebasin::Prove(models[1], found.alignment);
//
// Those that need data are in rebasin/nn/align.h, behind the same names.

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

// A row of the table of methods.
struct AlignMethod {
  const char* name;
  const char* what;  // one line of help
  bool needs_data = false;
  bool needs_labels = false;
};

// The ones to use first, then those to compare with.
std::span<const AlignMethod> AlignMethods();

// nullptr if there is no such method.
const AlignMethod* FindAlignMethod(const std::string& name);

struct AlignOptions {
  std::string method = "weights";
  MatchOptions match = {};
};

// How B is to be permuted so that its units stand in A's order. The symmetry is
// A's; where it has scalings, they are fitted around any method. Throws
// Error(kUsage) for a method that there is not or that needs data, and what
// MatchWeights throws.
MatchResult Align(const Model& a, const Model& b,
                  const AlignOptions& options = {}, const Run& run = {});

// The same for weights and a symmetry.
MatchResult Align(const Checkpoint& a, const Checkpoint& b,
                  const std::shared_ptr<const Symmetry>& symmetry,
                  const AlignOptions& options = {}, const Run& run = {});

// Merging models in one go: aligned, proved to be the same functions, and
// averaged; or, where they come from one base, by adding what each changed.
//
//   const auto models = rebasin::OpenModels(paths);
//   const rebasin::MergePlan plan = rebasin::PlanMerge(models);
//   rebasin::MergeToFile(plan.Inputs(), "merged.safetensors", plan.Settings());

// Aligns B to A. The models have one structure.
using Aligner = std::function<MatchResult(const Model& a, const Model& b)>;

struct MergeModelsOptions {
  bool align = true;  // if not, the models are merged as they are
  AlignOptions how = {};
  // Instead of `how`: methods that need data.
  Aligner aligner = {};
  // All models are brought together at once, as `many` says; more than two
  // always are. Two are otherwise aligned to the first.
  bool together = false;
  ManyOptions many = {};
  MergeMethod interpolation = MergeMethod::kLinear;
  std::vector<double> shares = {};  // empty: equal ones
  // What is done with models that have a base.
  ThreeWay three_way = ThreeWay::kAuto;
  // Run each model that moves against itself permuted; see Prove.
  bool verify = true;
  bool allow_nonfinite = false;
};

struct MergePlan {
  std::vector<const Model*> models = {};
  const Model* base = nullptr;
  std::vector<Alignment> alignments = {};  // one for each model; empty: none
  std::optional<Alignment> base_alignment = {};
  std::vector<double> shares = {};
  bool adds_changes = false;  // ours + (theirs - base)
  // All but the base.
  MergeOptions settings = {};

  // What was found on the way.
  std::optional<MatchResult> match = {};  // of two models: what moves B
  std::optional<ManyResult> many = {};    // of many
  std::optional<ThreeWayChoice> three_way = {};
  std::optional<ThreeWayEvidence> evidence = {};
  size_t taken_alone = 0;  // tensors that one model alone has changed
  std::vector<VerifyReport> proofs = {};  // of the models that move

  // The models as they are to be merged, and how. Both refer to this plan.
  std::vector<MergeInput> Inputs() const;
  MergeOptions Settings() const;
  // The same, permuted.
  std::vector<Checkpoint> Aligned(const Run& run = {}) const;
};

// Decides how models are merged, and aligns and proves them. The models must
// have been opened together, and outlive the plan. Throws Error(kUsage) for
// fewer than two, Error(kMismatch) if a permuted model is not the same
// function, and what Align, MatchMany and PlanThreeWay throw.
MergePlan PlanMerge(std::span<const Model> models,
                    const MergeModelsOptions& options = {},
                    const Model* base = nullptr, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_ALIGN_H_
