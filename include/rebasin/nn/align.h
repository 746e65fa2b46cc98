// Aligning two models with data: the methods of rebasin/align.h that need some.
//
//   const rebasin::ModelData data = rebasin::OpenDataFor({}, "mnist", "");
//   const auto found = rebasin::AlignWithData(
//       models[0], models[1],
//       {.method = "ste", .examples = data.Calibration(10000),
//        .normalization = data.normalization});

#ifndef REBASIN_NN_ALIGN_H_
#define REBASIN_NN_ALIGN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rebasin/align.h"
#include "rebasin/merge.h"
#include "rebasin/nn/match_activations.h"
#include "rebasin/nn/match_baselines.h"
#include "rebasin/nn/straight_through.h"

namespace rebasin {

// Options of one method that are not set are those of DefaultsFor.
struct DataAlignOptions {
  std::string method = "activations";
  MatchOptions match = {};
  Dataset examples = {};
  Normalization normalization = {};
  ComputeOptions compute = {};

  // For activations.
  ActivationCost cost = ActivationCost::kCorrelation;
  std::optional<double> weight_share = {};

  // For ste; its `start`, `match`, `compute` and `normalization` are set from
  // what stands here. `start_method` is any other method.
  std::optional<StraightThroughOptions> straight_through = {};
  std::optional<std::string> start_method = {};
  const Alignment* start = nullptr;  // instead of a method

  // For annealing; likewise.
  AnnealingOptions annealing = {};
};

// What suits a network. Weights that BatchNorm rescales say less about units
// than activations do: straight-through matching then starts where those put
// it, and stays near (measured in docs/results.md).
struct StraightThroughDefaults {
  StraightThroughOptions options = {};
  std::string start_method = "weights";
  double weight_share = 0;  // of a start by activations
};
StraightThroughDefaults DefaultsFor(const Graph& graph);

// One way that "best" has tried.
struct TriedAlignment {
  std::string name;  // "weights", "activations", "both"
  double loss = 0;   // half-way, on held-out examples
};

struct DataAlignResult {
  MatchResult match;
  bool interrupted = false;  // the state is kept; there may be better to come
  int64_t examples = 0;      // that were used
  std::vector<TriedAlignment> tried = {};  // by "best"
  bool has_labels = true;  // "best" goes by weights without labels
  std::optional<StraightThroughResult> straight_through = {};
  std::optional<AnnealingResult> annealing = {};
};

// Any method of AlignMethods(). The models must have a graph, A's, for those
// that need data. Throws Error(kUsage) if there is none or no such method,
// and what the methods throw.
DataAlignResult AlignWithData(const Model& a, const Model& b,
                              const DataAlignOptions& options,
                              const Run& run = {});

// Matches one model to the mean of others by activations: a step of MergeMany.
// The mean of networks with BatchNorm gets statistics of its own first.
ManyStep StepWithData(const std::shared_ptr<const Graph>& graph,
                      const DataAlignOptions& options, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_ALIGN_H_
