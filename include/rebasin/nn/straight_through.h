// Straight-through estimator matching (Git Re-Basin, Algorithm 3): finds the
// alignment of model B whose midpoint with model A has the lowest loss on data.
//
//   const rebasin::StraightThroughResult found = rebasin::MatchStraightThrough(
//       graph, a, b, symmetry, data.splits.train,
//       {.max_epochs = 10, .normalization = data.normalization,
//        .state_file = "matching.state"});
//
// The method trains latent weights W. Each step projects W to the nearest
// permuted copy pi(B) of B, computes the gradient of the loss at the midpoint
// of A and pi(B), and applies it to W as if there were no projection. The
// result is the permutation with the lowest loss on held-out examples of all
// that were evaluated; it is never worse than the start.
//
// The result depends only on inputs, options and seed; with BatchNorm also on
// the number of threads, as in training. A run can be stopped after any step,
// and resumed with bitwise the same result.

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

// What the latent weights approximate.
enum class StraightThroughLatent {
  kPermuted,  // pi(B)
  kMidpoint,  // (A + pi(B)) / 2
};

// What "nearest" means. For kPermuted both are the same, because all permuted
// copies of B have the same norm. For kMidpoint, kDistance matches 2W - A with
// B, and kInnerProduct matches W with B.
enum class StraightThroughProjection { kDistance, kInnerProduct };

// The first latent weights.
enum class StraightThroughStart {
  kModelA,    // as in the paper
  kPermuted,  // pi(B) of the start alignment
  kMidpoint,  // the midpoint of these two
};

// The evaluation of the midpoint at one step, on the held-out examples.
struct StraightThroughPoint {
  int64_t step = 0;         // steps of training before this point
  double train_loss = 0;    // mean since the last point; 0 for the first
  double loss = 0;          // of the midpoint
  double accuracy = 0;      // of the midpoint
  int64_t units_moved = 0;  // since the last point
};

// Options of MatchStraightThrough. The defaults suit networks without
// BatchNorm; DefaultsFor(graph) in rebasin/nn/align.h suits both kinds.
struct StraightThroughOptions {
  StraightThroughLatent latent = StraightThroughLatent::kPermuted;
  StraightThroughProjection projection = StraightThroughProjection::kDistance;
  StraightThroughStart latent_start = StraightThroughStart::kModelA;
  // The first alignment; null: the result of MatchWeights with `match`. Must
  // outlive the call.
  const Alignment* start = nullptr;
  MatchOptions match = {};

  OptimizerKind optimizer = OptimizerKind::kAdam;
  // 0 chooses a default: with Adam, 3 % of the root mean square of A's weights,
  // or 20 % if the latent weights do not start at A; with SGD, 0.3.
  double learning_rate = 0;
  // Schedule of the learning rate over max_epochs.
  Schedule schedule = Schedule::kConstant;
  double momentum = 0.9;  // SGD only
  int64_t batch_size = 500;
  int64_t max_epochs = 20;  // passes over the training examples
  // Each step draws lambda evenly from this range and computes the gradient at
  // (1 - lambda) A + lambda pi(B).
  double lambda_low = 0.5, lambda_high = 0.5;

  // The number of held-out examples, which are not trained on. 0: a tenth, at
  // most 5,000; with BatchNorm, rounded to full batches of up to 250.
  int64_t held_out = 0;
  // Steps between evaluations; 0: chosen so that they take a small share of
  // time.
  int64_t evaluate_every = 0;
  // Stops after this many evaluations without improvement; 0: never.
  int64_t patience = 20;

  // The largest share of a step's arithmetic that the projection may take. A
  // step projects as many groups as fit, and the next step continues with the
  // others. In networks whose weights are used at many positions all groups
  // fit.
  double projection_share = 0.15;

  ComputeOptions compute = {};
  // Must be the normalization that the models were trained with.
  Normalization normalization = {};
  // Where the state is stored, regularly and when the run is stopped; empty:
  // not at all. One safetensors file, replaced atomically and removed at the
  // end.
  std::filesystem::path state_file = {};
  // Continues from the state file. Throws Error(kMismatch) if the file belongs
  // to another run.
  bool resume = false;
};

// Why a run ended.
enum class StraightThroughEnd {
  kDone,      // all epochs are done
  kPatience,  // no improvement within `patience` evaluations
  kStopped,   // Run::stop returned true; can be resumed
  kDiverged,  // the loss or the latent weights are not finite
};

// The result of MatchStraightThrough.
struct StraightThroughResult {
  StraightThroughEnd end = StraightThroughEnd::kDone;
  Alignment alignment;  // the best one found
  // The quality of the alignment, as from DescribeAlignment.
  MatchReport report = {};
  // of the midpoint, on held-out examples
  double start_loss = 0, best_loss = 0;
  int64_t best_step = 0;  // 0: the start is best
  int64_t steps = 0;      // including those before a resume
  std::vector<StraightThroughPoint> history = {};  // the start first
};

// Matches B to A. Held-out examples are drawn from `train`, so `train` must not
// contain test data. BatchNorm uses batch statistics throughout, as if they
// were recalculated for every midpoint. A step costs about a fifth more than a
// step of training.
//
// Run::stop does not throw: the result has `end` kStopped. Throws
// Error(kMismatch) if models, graph, symmetry and data do not fit each other or
// the data has no labels, Error(kUsage) if an option is out of range,
// Error(kUnsupported) if the graph has no gradients.
StraightThroughResult MatchStraightThrough(
    const std::shared_ptr<const Graph>& graph, const Checkpoint& a,
    const Checkpoint& b, std::shared_ptr<const Symmetry> symmetry,
    const Dataset& train, const StraightThroughOptions& options = {},
    const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_STRAIGHT_THROUGH_H_
