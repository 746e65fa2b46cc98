#include "rebasin/nn/train.h"

#include <ATen/ATen.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "nn/classifier.h"
#include "nn/evaluator.h"
#include "nn/gradient.h"
#include "nn/optimizer.h"
#include "nn/threads.h"
#include "nn/train_state.h"
#include "nn/weights.h"
#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

using Clock = std::chrono::steady_clock;

// States are saved between epochs, but not too often.
constexpr std::chrono::seconds kSavePause(5);

void CheckRecipe(const Recipe& recipe) {
  const auto require = [](bool sound, const std::string& what) {
    if (!sound) throw Error(ErrorCode::kUsage, what);
  };
  require(recipe.epochs >= 1, "training needs at least one epoch");
  require(recipe.batch_size >= 1, "a batch needs at least one example");
  require(recipe.learning_rate > 0 && std::isfinite(recipe.learning_rate),
          "the learning rate must be positive");
  require(recipe.momentum >= 0 && recipe.momentum < 1,
          "the momentum must be at least 0 and less than 1");
  require(recipe.weight_decay >= 0 && std::isfinite(recipe.weight_decay),
          "the weight decay must not be negative");
  require(recipe.warmup_epochs >= 0 && recipe.warmup_start >= 0,
          "the warm-up must not be negative");
}

class Trainer {
 public:
  Trainer(const std::shared_ptr<const Graph>& graph, const DataSplits& data,
          const TrainOptions& options, const rebasin::Run& run)
      : graph_(graph),
        data_(data),
        options_(options),
        run_(run),
        threads_(ThreadCount(run.threads)),
        recipe_(options.recipe),
        classifier_(graph, data.train, options.compute),
        loader_(data.train, LoaderFor(options)),
        weights_(graph, options.start != nullptr
                            ? *options.start
                            : InitialWeights(*graph, recipe_.initialization,
                                             recipe_.seed)),
        optimizer_(recipe_, weights_),
        gradients_(classifier_, weights_, threads_),
        description_(DescribeTraining(recipe_, *graph, data.train,
                                      options.normalization, options.compute,
                                      threads_)) {
    CheckRecipe(recipe_);
    RequireLabels(data.train, classifier_.classes());
    if (!data.test.empty()) {
      test_.emplace(graph, data.test,
                    EvaluateOptions{.compute = options.compute,
                                    .normalization = options.normalization},
                    rebasin::Run{.threads = run.threads});
    }
    if (options.resume) {
      progress_ = LoadState(options.state_file, description_, graph, weights_,
                            optimizer_);
      CheckProgress();
    }
  }

  TrainResult Run() {
    good_ = weights_.Clone();
    last_saved_ = Clock::now();
    while (progress_.epoch < recipe_.epochs) {
      const TrainEnd end = RunEpoch();
      if (end != TrainEnd::kDone) return Finish(end);
    }
    return Finish(TrainEnd::kDone);
  }

 private:
  static LoaderOptions LoaderFor(const TrainOptions& options) {
    return {.batch_size = options.recipe.batch_size,
            .shuffle = true,
            .seed = options.recipe.seed,
            .normalization = options.normalization,
            .augmentation = options.recipe.augmentation};
  }

  void CheckProgress() const {
    const int64_t batches = loader_.batches();
    if (progress_.batch < batches && progress_.batch <= progress_.seen &&
        optimizer_.steps() == progress_.epoch * batches + progress_.batch) {
      return;
    }
    throw Error(ErrorCode::kBadInput,
                Quoted(options_.state_file.string()) +
                    " is not a complete state of a training");
  }

  TrainEnd RunEpoch() {
    const auto begin = Clock::now();
    loader_.Start(progress_.epoch, progress_.batch);
    Batch batch;
    while (loader_.Next(&batch)) {
      if (!RunBatch(batch)) return TrainEnd::kDiverged;
      ++progress_.batch;
      ReportStep();
      // The last step of an epoch is reported at its end.
      const bool last = progress_.batch == loader_.batches();
      if (!last && run_.Stopped()) {
        Save();
        return TrainEnd::kStopped;
      }
    }
    // The last step may have made weights infinite although its loss was
    // finite.
    if (!weights_.flat().isfinite().all().item<bool>()) {
      return TrainEnd::kDiverged;
    }
    EndEpoch(begin);
    if (progress_.epoch < recipe_.epochs && run_.Stopped()) {
      Save();
      return TrainEnd::kStopped;
    }
    return TrainEnd::kDone;
  }

  double LearningRate() const {
    return LearningRateAt(recipe_, optimizer_.steps(), loader_.batches());
  }

  // Returns false if the loss is not finite.
  bool RunBatch(const Batch& batch) {
    // A last batch of one example has no variance.
    const bool own_statistics = batch.size > 1 || recipe_.batch_size == 1;
    const BatchGradient found = gradients_.Run(batch, own_statistics);
    if (!std::isfinite(found.loss)) return false;
    const OperatorThreads operator_threads(threads_);
    optimizer_.Step(weights_, found.gradients, LearningRate());
    progress_.loss_sum += found.loss * static_cast<double>(batch.size);
    progress_.correct += found.correct;
    progress_.seen += batch.size;
    return true;
  }

  // Does not check for stop, which is done where the state can be saved.
  void ReportStep() const {
    if (!run_.progress) return;
    const auto seen = static_cast<double>(progress_.seen);
    run_.progress(
        {.stage = "epoch " + std::to_string(progress_.epoch + 1) + "/" +
                  std::to_string(recipe_.epochs) + "  loss " +
                  Number(progress_.loss_sum / seen, 3) + "  accuracy " +
                  Percent(static_cast<double>(progress_.correct) / seen),
         .done = progress_.epoch * loader_.batches() + progress_.batch,
         .total = recipe_.epochs * loader_.batches()});
  }

  void EndEpoch(Clock::time_point begin) {
    const auto seen = static_cast<double>(progress_.seen);
    EpochReport report{
        .epoch = progress_.epoch + 1,
        .learning_rate = LearningRate(),
        .loss = progress_.loss_sum / seen,
        .accuracy = static_cast<double>(progress_.correct) / seen};
    progress_ = {.epoch = progress_.epoch + 1};
    good_ = weights_.Clone();
    if (test_) report.test = test_->Run(weights_);
    report.seconds =
        std::chrono::duration<double>(Clock::now() - begin).count();
    epochs_.push_back(report);
    if (options_.save && options_.save_every > 0 &&
        progress_.epoch % options_.save_every == 0) {
      options_.save(progress_.epoch, ModelOf(weights_));
    }
    if (Clock::now() - last_saved_ >= kSavePause) Save();
    if (options_.on_epoch) options_.on_epoch(report);
  }

  void Save() {
    if (options_.state_file.empty()) return;
    SaveState(options_.state_file, description_, progress_, weights_,
              optimizer_);
    last_saved_ = Clock::now();
  }

  static Checkpoint ModelOf(const Weights& weights) {
    return weights.ToCheckpoint(std::map<std::string, std::string>{});
  }

  TrainResult Finish(TrainEnd end) {
    std::error_code ignored;
    if (end == TrainEnd::kDone && !options_.state_file.empty()) {
      std::filesystem::remove(options_.state_file, ignored);
    }
    return {.end = end,
            .model = ModelOf(end == TrainEnd::kDiverged ? *good_ : weights_),
            .epochs = std::move(epochs_),
            .steps = optimizer_.steps()};
  }

  const std::shared_ptr<const Graph> graph_;
  const DataSplits& data_;
  const TrainOptions& options_;
  const rebasin::Run& run_;
  const int threads_;
  const Recipe recipe_;
  Classifier classifier_;
  Loader loader_;
  Weights weights_;
  Optimizer optimizer_;
  GradientMaker gradients_;
  const std::string description_;
  std::optional<Evaluator> test_;
  TrainingPosition progress_;
  std::optional<Weights> good_;  // after the last complete epoch
  std::vector<EpochReport> epochs_;
  Clock::time_point last_saved_;
};

}  // namespace
}  // namespace rebasin::nn

namespace rebasin {

TrainResult Train(const std::shared_ptr<const Graph>& graph,
                  const DataSplits& data, const TrainOptions& options,
                  const Run& run) {
  return nn::Trainer(graph, data, options, run).Run();
}

}  // namespace rebasin
