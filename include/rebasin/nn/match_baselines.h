// Baselines of matching with data, for comparison with the methods that work
// better: steepest descent of the loss, and simulated annealing.
//
//   const rebasin::AnnealingResult found = rebasin::MatchAnnealing(
//       graph, a, b, symmetry, data.splits.train,
//       {.seconds = 600, .normalization = data.normalization});
//
// Both need labels. For everyday use see AlignWithData in rebasin/nn/align.h.

#ifndef REBASIN_NN_MATCH_BASELINES_H_
#define REBASIN_NN_MATCH_BASELINES_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/match.h"
#include "rebasin/nn/compute.h"
#include "rebasin/nn/data.h"

namespace rebasin {

// Options of MatchSteepest.
struct SteepestOptions {
  MatchOptions match = {};
  ComputeOptions compute = {};
  // Must be the normalization that the models were trained with.
  Normalization normalization = {};
  int64_t batch_size = 500;  // only affects speed and memory
};

// Steepest descent, an idea that the paper reports as a failure: finds the
// permutation of B towards which the loss of A falls most steeply, by matching
// B with minus the gradient of A's loss instead of A's weights. The loss along
// the line falls at first and then rises as before alignment.
//
// Costs one pass over the data with gradients and one MatchWeights. Throws what
// MatchWeights throws, Error(kMismatch) if the data does not fit the graph or
// has no labels, Error(kUnsupported) if the graph has no gradients.
MatchResult MatchSteepest(const std::shared_ptr<const Graph>& graph,
                          const Checkpoint& a, const Checkpoint& b,
                          const std::shared_ptr<const Symmetry>& symmetry,
                          const Dataset& data,
                          const SteepestOptions& options = {},
                          const Run& run = {});

// Options of MatchAnnealing.
struct AnnealingOptions {
  // The budget: `moves` if it is not 0, else `seconds`. Only a budget of moves
  // gives the same result on every machine.
  double seconds = 60;
  int64_t moves = 0;
  // Temperatures as shares of the first midpoint's loss. The temperature falls
  // geometrically from the first to the last.
  double first_temperature = 0.01;
  double last_temperature = 1e-5;
  // Swaps of two units in the first moves; falls to one.
  int64_t swaps = 8;
  // The first alignment; null: the identity. Must outlive the call.
  const Alignment* start = nullptr;
  int64_t examples = 1000;  // number on which each move is evaluated
  ComputeOptions compute = {};
  // Must be the normalization that the models were trained with.
  Normalization normalization = {};
};

// The result of MatchAnnealing.
struct AnnealingResult {
  Alignment alignment;  // the best one found
  MatchReport report;
  // of the midpoint, at the start and the best one
  double start_loss = 0, best_loss = 0;
  int64_t moves = 0, accepted = 0;  // tried, and accepted of these
};

// Simulated annealing of the midpoint's loss (Entezari et al. 2021): a move
// swaps random units; it is accepted if the loss falls, and with some
// probability if it rises. Each move runs the network over `examples` examples,
// so only small networks improve much. BatchNorm uses batch statistics.
//
// Throws Error(kUsage) if the symmetry has no units to swap or the options are
// out of range; otherwise throws like MatchSteepest.
AnnealingResult MatchAnnealing(const std::shared_ptr<const Graph>& graph,
                               const Checkpoint& a, const Checkpoint& b,
                               const std::shared_ptr<const Symmetry>& symmetry,
                               const Dataset& data,
                               const AnnealingOptions& options = {},
                               const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_MATCH_BASELINES_H_
