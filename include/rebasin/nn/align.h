// Aligns two models by a method that may need example data: activation
// matching, the straight-through estimator, simulated annealing, or the best of
// several. The methods and their names are those of rebasin/align.h.
//
//   const rebasin::ModelData data = rebasin::OpenDataFor({}, "mnist", "");
//   const rebasin::DataAlignResult found = rebasin::AlignWithData(
//       models[0], models[1],
//       {.method = "ste", .examples = data.Calibration(10000),
//        .normalization = data.normalization});
//   const rebasin::Checkpoint moved =
//       rebasin::Permute(models[1].weights, found.match.alignment);

#ifndef REBASIN_NN_ALIGN_H_
#define REBASIN_NN_ALIGN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rebasin/align.h"
#include "rebasin/merge.h"
#include "rebasin/nn/evaluate.h"
#include "rebasin/nn/knowledge.h"
#include "rebasin/nn/match_activations.h"
#include "rebasin/nn/match_baselines.h"
#include "rebasin/nn/straight_through.h"

namespace rebasin {

// Options for all methods. Each method reads `method`, `match` and its own
// section; unset options of "ste" take the values of DefaultsFor(graph).
struct DataAlignOptions {
  // A name from AlignMethods().
  std::string method = "activations";
  // How weights are matched, in the method itself or for its start.
  MatchOptions match = {};
  // The training or calibration examples. Methods with needs_labels require
  // labels. May be empty for methods that need no data.
  Dataset examples = {};
  // Must be the normalization that the models were trained with.
  Normalization normalization = {};
  ComputeOptions compute = {};

  // "activations": how units are compared, and the share, from 0 to below 1,
  // that weights have in the comparison (unset: 0).
  ActivationCost cost = ActivationCost::kCorrelation;
  std::optional<double> weight_share = {};

  // "ste". The fields `start`, `match`, `compute` and `normalization` of
  // `straight_through` are ignored: the fields of this struct are used.
  std::optional<StraightThroughOptions> straight_through = {};
  // The method that finds the start alignment; any but "ste".
  std::optional<std::string> start_method = {};
  // Starts from this alignment instead, if not null. Must outlive the call.
  const Alignment* start = nullptr;

  // "annealing". `compute` and `normalization` are taken from this struct.
  AnnealingOptions annealing = {};
};

// Good straight-through options for a network. In networks with BatchNorm,
// activations identify units better than weights do, so matching starts from an
// alignment by activations and uses smaller steps (measurements in
// docs/results.md).
struct StraightThroughDefaults {
  StraightThroughOptions options = {};
  std::string start_method = "weights";
  // The share of weights if start_method is "activations".
  double weight_share = 0;
};
// Never throws. Depends only on whether the graph has BatchNorm.
StraightThroughDefaults DefaultsFor(const Graph& graph);

// One candidate that the method "best" evaluated.
struct TriedAlignment {
  std::string name;  // "weights", "activations", "both"
  // Of the midpoint, on held-out examples.
  Evaluation evaluation = {};
  KeptKnowledge kept = {};
};

// The method "best" takes the candidate whose midpoint has the lowest loss at
// its best temperature, as RepairOptions::method "auto" does: not one that is
// mostly one model, unless all are.
struct DataAlignResult {
  MatchResult match;
  // Run::stop ended the search early. The alignment is the best one so far, and
  // the state file, if there is one, allows a resume.
  bool interrupted = false;
  int64_t examples = 0;                    // examples used
  std::vector<TriedAlignment> tried = {};  // for "best"
  // False if "best" fell back to weight matching because there were no labels.
  bool has_labels = true;
  // Details of "ste" and "annealing".
  std::optional<StraightThroughResult> straight_through = {};
  std::optional<AnnealingResult> annealing = {};
};

// Aligns `b` to `a` by any method of AlignMethods(). Uses A's graph and
// symmetry; if the symmetry has scalings, they are fitted as well.
//
// Throws Error(kUsage) if the method does not exist or needs a graph that the
// model does not have, and what the method throws. Costs between seconds
// (activations: one pass over the data for each model) and hours (ste: several
// epochs of training). The same inputs, options and seed give the same result.
DataAlignResult AlignWithData(const Model& a, const Model& b,
                              const DataAlignOptions& options,
                              const Run& run = {});

// Returns a step for ManyOptions::step that matches by activations instead of
// weights. If the graph has BatchNorm, the statistics of the mean model are
// recalculated before each step. Takes the `examples`, `cost`, `weight_share`,
// `compute` and `normalization` of `options`; the step keeps copies of all
// arguments.
ManyStep ActivationStep(const std::shared_ptr<const Graph>& graph,
                        const DataAlignOptions& options, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_ALIGN_H_
