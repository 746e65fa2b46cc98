// Straight-through estimator matching (Git Re-Basin, Algorithm 3): finds the
// alignment of model B whose midpoint with model A has the lowest loss on data.
//
// Latent weights W are trained. Each step runs the network half-way between A
// and pi(B), pi(B) the point of B's orbit that is nearest to W, and lets the
// gradient there go straight through to W, as if the projection were not there.
// Of all permutations met on the way the one with the lowest loss on examples
// held back from training is returned; never one that is worse than the start.
//
// A run is a function of its inputs, options and seed; with BatchNorm also of
// the number of threads, as training is. It can be stopped after any step and
// resumed to the same bits.

#ifndef REBASIN_NN_STRAIGHT_THROUGH_H_
#define REBASIN_NN_STRAIGHT_THROUGH_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/match.h"
#include "rebasin/nn/train.h"

namespace rebasin {

// What the latent weights stand for.
enum class StraightThroughLatent {
  kPermuted,  // pi(B)
  kMidpoint,  // (A + pi(B)) / 2
};

// What "nearest" means. For kPermuted both are the same, since all of B's orbit
// has one length. For kMidpoint the least distance to (A + pi(B)) / 2 matches
// 2W - A with B, the largest inner product with it W itself.
enum class StraightThroughProjection { kDistance, kInnerProduct };

// Where the latent weights start.
enum class StraightThroughStart {
  kModelA,    // as in the paper
  kPermuted,  // pi(B) of the start alignment
  kMidpoint,  // half-way between them
};

// The midpoint at some step, by the examples held back.
struct StraightThroughPoint {
  int64_t step = 0;
  double train_loss = 0;  // mean of the steps since the last point; 0 at first
  double loss = 0;        // of the midpoint
  double accuracy = 0;
  int64_t units_moved = 0;  // since the last point
};

struct StraightThroughOptions {
  StraightThroughLatent latent = StraightThroughLatent::kPermuted;
  StraightThroughProjection projection = StraightThroughProjection::kDistance;
  StraightThroughStart latent_start = StraightThroughStart::kModelA;
  // The alignment to start from; null: what MatchWeights finds with `match`.
  const Alignment* start = nullptr;
  MatchOptions match = {};

  OptimizerKind optimizer = OptimizerKind::kAdam;
  // 0: with Adam 3 % of the root mean square of A's weights, or 20 % if the
  // latent weights do not start at A; 0.3 with SGD.
  double learning_rate = 0;
  Schedule schedule = Schedule::kConstant;
  double momentum = 0.9;  // of SGD
  int64_t batch_size = 500;
  int64_t max_epochs = 20;
  // Where between A and pi(B) each step looks: drawn evenly from this range.
  double lambda_low = 0.5, lambda_high = 0.5;

  // Examples that judge and are not trained on; 0: a tenth, at most 5,000. With
  // BatchNorm, as many as make full batches of up to 250.
  int64_t held_back = 0;
  int64_t evaluate_every = 0;  // steps; 0: so that it takes a small share
  int64_t patience = 20;  // evaluations without a better one; 0: any number

  // The share of a step's arithmetic that the projection may take. It visits as
  // many groups as that allows, and goes on with the next step; in networks
  // whose weights are used at many positions it is complete every time.
  double projection_share = 0.15;

  ComputeOptions compute = {};
  Normalization normalization = {};
  // Where the state is kept when stopped and now and then; empty: nowhere. One
  // safetensors file, replaced atomically, and removed at the end.
  std::filesystem::path state_file = {};
  // Go on from the state file; Error(kMismatch) if it is of another run.
  bool resume = false;
};

enum class StraightThroughEnd {
  kDone,      // all epochs
  kPatience,  // nothing better for a while
  kStopped,   // asked to; resumable
  kDiverged,  // the loss or the latent weights are not finite
};

struct StraightThroughResult {
  StraightThroughEnd end = StraightThroughEnd::kDone;
  Alignment alignment;  // the best one seen
  MatchReport report = {};
  double start_loss = 0, best_loss = 0;  // of the midpoint, held back
  int64_t best_step = 0;                 // 0: the start
  int64_t steps = 0;
  std::vector<StraightThroughPoint> history = {};  // the start first
};

// Draws what is held back from `train`; give no test data here. BatchNorm goes
// by each batch's own statistics throughout, as if they were recalculated. Time
// a step: that of training, and about a fifth. Throws Error(kMismatch) if
// models, graph, symmetry and data do not fit each other or the data has no
// labels, Error(kUsage) for options that cannot be meant, Error(kUnsupported)
// for a graph without gradients.
StraightThroughResult MatchStraightThrough(
    const std::shared_ptr<const Graph>& graph, const Checkpoint& a,
    const Checkpoint& b, std::shared_ptr<const Symmetry> symmetry,
    const Dataset& train, const StraightThroughOptions& options = {},
    const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_STRAIGHT_THROUGH_H_
