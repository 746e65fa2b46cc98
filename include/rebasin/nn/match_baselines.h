// Ways to match with data that are there to be compared with.

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

struct SteepestOptions {
  MatchOptions match = {};
  ComputeOptions compute = {};
  Normalization normalization = {};
  int64_t batch_size = 500;
};

// The paper's idea that failed: of all permutations of B, the one towards which
// the loss of A falls most steeply. Matches B with minus the gradient of A's
// loss in place of A's weights. The loss dips at first and then rises as
// before. Throws what MatchWeights throws, Error(kMismatch) if the data does
// not fit the graph or has no labels, Error(kUnsupported) for a graph without
// gradients.
MatchResult MatchSteepest(const std::shared_ptr<const Graph>& graph,
                          const Checkpoint& a, const Checkpoint& b,
                          const std::shared_ptr<const Symmetry>& symmetry,
                          const Dataset& data,
                          const SteepestOptions& options = {},
                          const Run& run = {});

struct AnnealingOptions {
  // The search ends after so many seconds, or, if `moves` is not 0, after so
  // many moves: then the result is the same everywhere.
  double seconds = 60;
  int64_t moves = 0;
  // Of the midpoint's loss, as shares of the first one: falls geometrically
  // from the first temperature to the last.
  double first_temperature = 0.01;
  double last_temperature = 1e-5;
  // Swaps of two units that a move makes at first; falls to one.
  int64_t swaps = 8;
  const Alignment* start = nullptr;  // null: the identity
  int64_t examples = 1000;           // that judge a move
  ComputeOptions compute = {};
  Normalization normalization = {};
};

struct AnnealingResult {
  Alignment alignment;  // the best one seen
  MatchReport report;
  double start_loss = 0, best_loss = 0;  // of the midpoint
  int64_t moves = 0, accepted = 0;
};

// Simulated annealing of the midpoint's loss (Entezari et al. 2021): random
// swaps of units, kept if the loss falls, and sometimes if it does not. Each
// move runs the network over the examples, so that only small networks get far.
// BatchNorm goes by each batch's own statistics. Throws as MatchSteepest does,
// and Error(kUsage) if the symmetry has nothing to swap.
AnnealingResult MatchAnnealing(const std::shared_ptr<const Graph>& graph,
                               const Checkpoint& a, const Checkpoint& b,
                               const std::shared_ptr<const Symmetry>& symmetry,
                               const Dataset& data,
                               const AnnealingOptions& options = {},
                               const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_MATCH_BASELINES_H_
