#include "rebasin/nn/straight_through.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "data/seeds.h"
#include "nn/best_point.h"
#include "nn/blend.h"
#include "nn/evaluator.h"
#include "nn/flops.h"
#include "nn/gradient.h"
#include "nn/latent_weights.h"
#include "nn/optimizer.h"
#include "nn/straight_through_options.h"
#include "nn/straight_through_state.h"
#include "nn/threads.h"
#include "rebasin/error.h"
#include "rebasin/repair.h"

namespace rebasin::nn {
namespace {

using Clock = std::chrono::steady_clock;
using End = StraightThroughEnd;

// States are saved after measurements, but not too often.
constexpr std::chrono::seconds kSavePause(5);
// A separate stream from other random numbers of the seed.
constexpr uint64_t kLambdaStream = 0x6c616d62;

// The smallest budget of a projection, in operations: even the step of a tiny
// network takes longer.
constexpr double kMinBudget = 5e6;

class StraightThrough {
 public:
  StraightThrough(const std::shared_ptr<const Graph>& graph,
                  const Checkpoint& a, const Checkpoint& b,
                  const Alignment& start, const Dataset& data,
                  const StraightThroughOptions& options,
                  const rebasin::Run& run)
      : options_(options),
        run_(run),
        threads_(ThreadCount(run.threads)),
        a_(a),
        b_(b),
        data_(HoldOut(data, options.held_out, HasBatchNorm(*graph), run.seed)),
        classifier_(graph, data_.train, options.compute),
        judge_(graph, data_.held_out,
               {.compute = options.compute,
                .normalization = options.normalization,
                .batch_size = data_.batch_size},
               {.threads = run.threads}, HasBatchNorm(*graph)),
        loader_(data_.train, LoaderFor()),
        pool_(threads_),
        blend_(graph, a, b, start, pool_),
        recipe_(RecipeOf(options, run.seed, blend_.a())),
        latent_(blend_, options),
        projector_(WithViews(a, *graph, latent_.target()), b, start, pool_),
        optimizer_(recipe_, latent_.weights()),
        gradients_(classifier_, blend_.weights(), threads_),
        budget_(
            std::max(kMinBudget,
                     options.projection_share *
                         TrainingFlops(classifier_.network().graph(),
                                       classifier_.InputShape(BatchSize())))),
        points_(start) {
    RequireLabels(data, classifier_.classes());
    description_ = DescribeStraightThrough(
        options, blend_.a(), blend_.b(), start,
        DescribeTraining(recipe_, *graph, data, options.normalization,
                         options.compute, threads_));
    if (options.resume) Resume(graph);
  }

  StraightThroughResult Run() {
    last_saved_ = Clock::now();
    if (points_.history().empty()) AddPoint();
    while (Steps() < MostSteps()) {
      loader_.Start(progress_.epoch, progress_.batch);
      Batch batch;
      while (loader_.Next(&batch)) {
        if (!RunStep(batch)) return Finish(End::kDiverged);
        Advance();
        if (OutOfPatience()) return Finish(End::kPatience);
        if (Steps() < MostSteps() && run_.Stopped()) {
          Save();
          return Finish(End::kStopped);
        }
      }
    }
    return Finish(End::kDone);
  }

 private:
  // Only full batches, so that BatchNorm treats all examples alike.
  int64_t BatchSize() const {
    return classifier_.BatchSizeOr(
        std::min(options_.batch_size, data_.train.size()));
  }

  LoaderOptions LoaderFor() const {
    return {.batch_size = BatchSize(),
            .shuffle = true,
            .seed = run_.seed,
            .drop_last = BatchSize() <= data_.train.size(),
            .normalization = options_.normalization};
  }

  int64_t Steps() const { return optimizer_.steps(); }
  int64_t MostSteps() const { return options_.max_epochs * loader_.batches(); }

  // Evaluating an example takes a third of the time of training on it, so this
  // takes a sixth of the time. Losses of similar permutations differ much, so
  // frequent evaluations pay off.
  int64_t EvaluateEvery() const {
    if (options_.evaluate_every > 0) return options_.evaluate_every;
    return std::max<int64_t>(1, 2 * data_.held_out.size() / BatchSize());
  }

  double Lambda() const {
    const double range = options_.lambda_high - options_.lambda_low;
    if (range == 0) return options_.lambda_low;
    Random random(DeriveSeed(run_.seed ^ kLambdaStream, Steps()));
    return options_.lambda_low + range * random.Uniform();
  }

  // Returns false if numbers are no longer finite.
  bool RunStep(const Batch& batch) {
    if (!projector_.Follow(budget_)) return false;
    const double lambda = Lambda();
    blend_.Set(projector_.alignment(), lambda);
    BatchGradient found = gradients_.Run(batch);
    if (!std::isfinite(found.loss)) return false;
    Step(found.gradients, latent_.Slope(lambda));
    progress_.loss_sum += found.loss * static_cast<double>(batch.size);
    progress_.correct += found.correct;
    progress_.seen += batch.size;
    return true;
  }

  void Step(std::vector<at::Tensor>& gradients, double factor) {
    const c10::NoGradGuard no_gradients;
    const OperatorThreads operator_threads(threads_);
    if (factor != 1) {
      for (at::Tensor& gradient : gradients) {
        if (gradient.defined()) gradient = gradient * factor;
      }
    }
    optimizer_.Step(latent_.weights(), gradients,
                    LearningRateAt(recipe_, Steps(), loader_.batches()));
    latent_.Refresh();
  }

  void Advance() {
    progress_.epoch = Steps() / loader_.batches();
    progress_.batch = Steps() % loader_.batches();
    if (Steps() % EvaluateEvery() == 0 || Steps() == MostSteps()) AddPoint();
    ReportStep();
  }

  // Does not check for stop, which is done where the state can be saved.
  void ReportStep() const {
    if (!run_.progress) return;
    run_.progress({.stage = "straight-through: midpoint loss " +
                            Number(points_.history().back().loss) + ", best " +
                            Number(points_.point().loss),
                   .done = Steps(),
                   .total = MostSteps()});
  }

  // Evaluates the midpoint with the current permutation.
  void AddPoint() {
    const Alignment& now = projector_.alignment();
    blend_.Set(now, 0.5);
    const Evaluation found = judge_.Run(blend_.weights());
    const auto seen = static_cast<double>(progress_.seen);
    points_.Add({.step = Steps(),
                 .train_loss = seen > 0 ? progress_.loss_sum / seen : 0,
                 .loss = found.loss,
                 .accuracy = found.accuracy},
                now);
    progress_ = {.epoch = progress_.epoch, .batch = progress_.batch};
    if (Clock::now() - last_saved_ >= kSavePause) Save();
  }

  bool OutOfPatience() const {
    return options_.patience > 0 && points_.Since() >= options_.patience;
  }

  void Save() {
    last_saved_ = Clock::now();
    if (options_.state_file.empty()) return;
    SaveState(options_.state_file, description_, progress_, latent_.weights(),
              optimizer_,
              ToNotes({.now = projector_.alignment(),
                       .points = points_,
                       .projector = projector_.State()}));
  }

  void Resume(const std::shared_ptr<const Graph>& graph) {
    StateNotes notes;
    progress_ = LoadState(options_.state_file, description_, graph,
                          latent_.weights(), optimizer_, &notes);
    StraightThroughState state =
        FromNotes(notes, points_.best().shared_symmetry(), projector_.trees(),
                  options_.state_file);
    if (Steps() != progress_.epoch * loader_.batches() + progress_.batch ||
        progress_.batch >= loader_.batches()) {
      throw Error(ErrorCode::kBadInput,
                  Quoted(options_.state_file.string()) +
                      " is not a complete state of matching");
    }
    projector_.Restore(state.now, state.projector);
    latent_.Refresh();
    points_ = std::move(state.points);
  }

  StraightThroughResult Finish(End end) {
    std::error_code ignored;
    if (end != End::kStopped && !options_.state_file.empty()) {
      std::filesystem::remove(options_.state_file, ignored);
    }
    return {.end = end,
            .alignment = points_.best(),
            .report = DescribeAlignment(a_, b_, points_.best(),
                                        rebasin::Run{.threads = threads_}),
            .start_loss = points_.history().front().loss,
            .best_loss = points_.point().loss,
            .best_step = points_.point().step,
            .steps = Steps(),
            .history = points_.history()};
  }

  const StraightThroughOptions& options_;
  const rebasin::Run& run_;
  const int threads_;
  const Checkpoint& a_;
  const Checkpoint& b_;
  const HeldOut data_;
  const Classifier classifier_;
  Evaluator judge_;
  Loader loader_;
  ThreadPool pool_;
  Blend blend_;
  const Recipe recipe_;
  LatentWeights latent_;
  Projector projector_;
  Optimizer optimizer_;
  GradientMaker gradients_;
  const double budget_;  // arithmetic of a step for the projection
  std::string description_;
  TrainingPosition progress_;  // sums are since the last point
  BestPoint points_;
  Clock::time_point last_saved_;
};

Alignment StartOf(const Checkpoint& a, const Checkpoint& b,
                  const std::shared_ptr<const Symmetry>& symmetry,
                  const StraightThroughOptions& options, const Run& run) {
  if (options.start == nullptr) {
    return MatchWeights(a, b, symmetry, options.match, run).alignment;
  }
  if (options.start->symmetry().ToJson() != symmetry->ToJson()) {
    throw Error(ErrorCode::kMismatch,
                "the alignment to start from belongs to another symmetry");
  }
  // Checks that the models fit, as matching would.
  DescribeAlignment(a, b, *options.start, run);
  return *options.start;
}

}  // namespace
}  // namespace rebasin::nn

namespace rebasin {

StraightThroughResult MatchStraightThrough(
    const std::shared_ptr<const Graph>& graph, const Checkpoint& a,
    const Checkpoint& b, std::shared_ptr<const Symmetry> symmetry,
    const Dataset& train, const StraightThroughOptions& options,
    const Run& run) {
  nn::CheckOptions(options);
  const Alignment start = nn::StartOf(a, b, symmetry, options, run);
  return nn::StraightThrough(graph, a, b, start, train, options, run).Run();
}

}  // namespace rebasin
