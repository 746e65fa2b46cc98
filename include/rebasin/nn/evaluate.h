// How good a classifier is, and how well it knows what it knows.

#ifndef REBASIN_NN_EVALUATE_H_
#define REBASIN_NN_EVALUATE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rebasin/nn/compute.h"

namespace rebasin {

// Predictions whose confidence (probability of the class predicted) lies in
// one part of [0, 1].
struct ReliabilityBin {
  int64_t count = 0;
  double confidence = 0;  // mean; 0 where there are none
  double accuracy = 0;
};

struct Evaluation {
  int64_t examples = 0;
  double loss = 0;  // mean cross-entropy, in nats
  double accuracy = 0;
  double top5 = 0;  // 0 if there are five classes or fewer
  // Expected calibration error: the mean of |confidence - accuracy| over the
  // bins, weighted by their counts.
  double calibration_error = 0;
  std::vector<ReliabilityBin> bins = {};  // of equal width
  // What dividing the logits by would minimise the loss, and the loss then.
  // Above 1: the model is too sure of itself. Only if asked for.
  double temperature = 1;
  double calibrated_loss = 0;
  // The class predicted for each example, -1 where the output is not a number.
  // Only if asked for.
  std::vector<int32_t> predictions = {};
};

struct EvaluateOptions {
  ComputeOptions compute = {};
  Normalization normalization = {};
  int64_t batch_size = 0;  // 0: one whose activations fit the cache
  int bins = 15;
  bool find_temperature = false;  // takes longer than running a small network
  bool keep_predictions = false;
};

// The output of the graph (its first) is taken for logits, or for
// probabilities if a Softmax makes it. Batches are evaluated side by side, one
// thread each, and summed in order: the result is the same for any number of
// threads, and memory does not grow with the data. Throws Error(kMismatch) if
// the data does not fit the graph (shape, labels, classes) or is empty,
// Error(kUnsupported) if the graph cannot be run.
Evaluation Evaluate(const std::shared_ptr<const Graph>& graph,
                    const Checkpoint& model, const Dataset& data,
                    const EvaluateOptions& options = {}, const Run& run = {});

// Of the mean of the models' probabilities. Throws Error(kUsage) for no models.
Evaluation EvaluateEnsemble(const std::shared_ptr<const Graph>& graph,
                            std::span<const Checkpoint> models,
                            const Dataset& data,
                            const EvaluateOptions& options = {},
                            const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_EVALUATE_H_
