// Trains a network from random weights, with the recipes of the paper or
// others.
//
//   const rebasin::TrainResult trained = rebasin::Train(
//       graph, data, {.recipe = rebasin::NamedRecipe("mlp"),
//                     .normalization = rebasin::ParseNormalization("mnist")});
//   rebasin::SaveModel(trained.model, "mlp.safetensors");
//
// The result depends only on the recipe and the data; with BatchNorm also on
// the number of threads, which changes the order of sums. Training can be
// stopped after any step, and resumed with bitwise the same result.

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

// The update rule.
// Stochastic gradient descent with momentum, or Adam with the usual constants
// (0.9, 0.999, 1e-8).
enum class OptimizerKind { kSgd, kAdam };
// How the learning rate changes after the warm-up.
enum class Schedule {
  kConstant,
  kCosine,  // half a cosine from learning_rate to zero
};
// How the weights of layers are initialised.
enum class Initialization {
  kKaiming,  // normal with variance 2 / fan-in, for ReLU
  kLecun,    // normal with variance 1 / fan-in
};

// Everything that determines a training run, except the graph and the data.
struct Recipe {
  OptimizerKind optimizer = OptimizerKind::kAdam;
  double learning_rate = 1e-3;  // the largest one
  double momentum = 0.9;        // SGD only
  double weight_decay = 0;      // L2: the gradient gets weight_decay * weight
  // Epochs in which the rate rises linearly from warmup_start to learning_rate.
  double warmup_epochs = 0;
  double warmup_start = 1e-6;
  Schedule schedule = Schedule::kConstant;
  int64_t epochs = 100;  // passes over the training data
  int64_t batch_size = 500;
  Initialization initialization = Initialization::kKaiming;
  Augmentation augmentation = {};  // default: none
  uint64_t seed = 0;               // of initial weights, order and augmentation
};

// Returns a recipe of the paper, as its published code has it. All start from
// LeCun initialisation:
//
// - "mlp", for MNIST: Adam, learning rate 1e-3, batches of 500, 100 epochs;
// - "cifar-mlp" and "vgg": SGD with momentum 0.9 and weight decay 5e-4, one
//   epoch of warm-up from 1e-6 to 0.1, then one cosine; batches of 100,
//   augmentation, 100 epochs;
// - "resnet": the same with weight decay 1e-4, five epochs of warm-up and 250
//   epochs.
//
// Throws Error(kUsage) for other names; RecipeNames lists them.
Recipe NamedRecipe(const std::string& name);
// Returns the names that NamedRecipe accepts.
std::vector<std::string> RecipeNames();
// Returns the name of the paper's recipe for such a built-in architecture.
std::string RecipeNameFor(const std::string& model);

// Returns the architecture with open options (numbers of inputs and classes,
// image size) set by the data: for images of 8x8 pixels "mlp:width=64" becomes
// "mlp:width=64,in=64". Other texts are returned unchanged.
std::string FitToData(const std::string& model, const Dataset& data);

// Returns the learning rate of step `step`, counted from 0 over all epochs.
double LearningRateAt(const Recipe& recipe, int64_t step,
                      int64_t steps_per_epoch);

// Returns random weights for all weights of the graph: normal for layers, as
// `initialization` says, and for embeddings, with deviation 0.02; 0 for biases
// and running means; 1 for scales and running variances.
Checkpoint InitialWeights(const Graph& graph, Initialization initialization,
                          uint64_t seed);

// What happened in one epoch.
struct EpochReport {
  int64_t epoch = 0;         // epochs done, including this one
  double learning_rate = 0;  // of the last step
  double loss = 0;           // mean over the epoch, while training
  double accuracy = 0;       // on the training data, like `loss`
  Evaluation test = {};      // has 0 examples if there is no test data
  double seconds = 0;        // including the evaluation
};

// Options of Train.
struct TrainOptions {
  Recipe recipe = {};
  ComputeOptions compute = {};
  // How the data is normalised. Train does not store it with the model: see
  // kNormalizeKey.
  Normalization normalization = {};
  // The initial weights; null: InitialWeights with the recipe's seed.
  const Checkpoint* start = nullptr;
  // Where the state is stored, after each epoch and when training is stopped;
  // empty: not at all. One safetensors file, replaced atomically and removed at
  // the end.
  std::filesystem::path state_file = {};
  // Continues from the state file. Throws Error(kMismatch) if the file belongs
  // to another recipe, graph or data set.
  bool resume = false;
  int64_t save_every = 0;  // epochs between calls of `save`; 0: never
  // Receives the model after every `save_every` epochs.
  std::function<void(int64_t epoch, const Checkpoint&)> save = {};
  // Called after each epoch.
  std::function<void(const EpochReport&)> on_epoch = {};
};

// Why training ended.
enum class TrainEnd {
  kDone,     // all epochs of the recipe are done
  kStopped,  // Run::stop returned true; can be resumed
  // The loss is not finite. `model` is that of the last good epoch.
  kDiverged,
};

// The result of Train.
struct TrainResult {
  TrainEnd end = TrainEnd::kDone;
  // The trained weights, as float32.
  Checkpoint model = {};
  std::vector<EpochReport> epochs = {};  // epochs of this call only
  int64_t steps = 0;                     // including those before a resume
};

// Trains on `data.train` and evaluates on `data.test` after each epoch; the
// test part may be empty. Run::stop does not throw: the result has `end`
// kStopped. Throws Error(kMismatch) if the data does not fit the graph or has
// no labels, Error(kUsage) if a number of the recipe is out of range,
// Error(kUnsupported) if the graph has no gradients.
TrainResult Train(const std::shared_ptr<const Graph>& graph,
                  const DataSplits& data, const TrainOptions& options = {},
                  const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_TRAIN_H_
