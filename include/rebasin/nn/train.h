// Training a network from nothing, by the recipes of the paper or others.
//
// A training is a function of its recipe and its data; with BatchNorm also of
// the number of threads, which then changes the order of sums. It can be
// stopped after any step and resumed to the same bits.

#ifndef REBASIN_NN_TRAIN_H_
#define REBASIN_NN_TRAIN_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rebasin/nn/evaluate.h"

namespace rebasin {

enum class OptimizerKind { kSgd, kAdam };
enum class Schedule {
  kConstant,
  kCosine,  // from the learning rate to zero over the whole training
};
enum class Initialization {
  kKaiming,  // normal, variance 2 / fan-in: made for ReLU
  kLecun,    // normal, variance 1 / fan-in
};

struct Recipe {
  OptimizerKind optimizer = OptimizerKind::kAdam;
  double learning_rate = 1e-3;
  double momentum = 0.9;     // of SGD
  double weight_decay = 0;   // times the weight, added to its gradient
  double warmup_epochs = 0;  // linearly from warmup_start to learning_rate
  double warmup_start = 1e-6;
  Schedule schedule = Schedule::kConstant;
  int64_t epochs = 100;
  int64_t batch_size = 500;
  Initialization initialization = Initialization::kKaiming;
  Augmentation augmentation = {};
  uint64_t seed = 0;  // of initial weights, order and augmentation
};

// The paper's recipes: "mlp" (Adam, 1e-3, batches of 500, 100 epochs, LeCun's
// initialisation), "vgg"
// and "resnet" (SGD with momentum 0.9 and weight decay 5e-4, one epoch of
// warm-up from 1e-6 to 0.1, then one cosine; batches of 100, augmentation; 100
// and 250 epochs). Throws Error(kUsage) for other names.
Recipe NamedRecipe(const std::string& name);
std::vector<std::string> RecipeNames();
// The name of the recipe that the paper used for such a built-in architecture.
std::string RecipeNameFor(const std::string& model);

// A built-in architecture with what its text leaves open (numbers of inputs and
// classes, the size of images) set as the data has it: for images of 8x8 pixels
// "mlp:width=64" becomes "mlp:width=64,in=64". Other texts are returned as they
// are.
std::string FitToData(const std::string& model, const Dataset& data);

// The learning rate of step `step` of `steps_per_epoch * epochs`.
double LearningRateAt(const Recipe& recipe, int64_t step,
                      int64_t steps_per_epoch);

// Random weights: layers by fan-in, biases and running means 0, scales and
// running variances 1, embeddings normal with deviation 0.02.
Checkpoint InitialWeights(const Graph& graph, Initialization initialization,
                          uint64_t seed);

struct EpochReport {
  int64_t epoch = 0;  // done so far: 1 after the first
  double learning_rate = 0;
  double loss = 0;  // mean over the epoch, while training
  double accuracy = 0;
  Evaluation test = {};  // of no examples if there is no test data
  double seconds = 0;
};

struct TrainOptions {
  Recipe recipe = {};
  ComputeOptions compute = {};
  Normalization normalization = {};
  // Start from these weights; null: from InitialWeights.
  const Checkpoint* start = nullptr;
  // Where the state is kept between epochs and when stopped; empty: nowhere.
  // It is one safetensors file, replaced atomically, and removed at the end.
  std::filesystem::path state_file = {};
  // Go on from the state file; Error(kMismatch) if it is of another recipe,
  // graph or data set.
  bool resume = false;
  int64_t save_every = 0;  // epochs; 0: never
  // Called with the model after every `save_every` epochs.
  std::function<void(int64_t epoch, const Checkpoint&)> save = {};
  std::function<void(const EpochReport&)> on_epoch = {};
};

enum class TrainEnd {
  kDone,
  kStopped,   // asked to; resumable
  kDiverged,  // the loss is not finite; `model` is that of the last good epoch
};

struct TrainResult {
  TrainEnd end = TrainEnd::kDone;
  Checkpoint model = {};
  std::vector<EpochReport> epochs = {};  // those of this run
  int64_t steps = 0;                     // in all
};

// Trains on data.train, and evaluates on data.test after each epoch. Throws
// Error(kMismatch) if data and graph do not fit, Error(kUsage) for a recipe
// that cannot be meant, Error(kUnsupported) for a graph without gradients.
TrainResult Train(const std::shared_ptr<const Graph>& graph,
                  const DataSplits& data, const TrainOptions& options = {},
                  const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_TRAIN_H_
