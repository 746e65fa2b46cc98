// Evaluates a classifier: loss, accuracy and calibration on labelled data.
//
//   const rebasin::Evaluation test = rebasin::Evaluate(
//       model.graph(), model.weights, data.splits.test,
//       {.normalization = data.normalization});
//   std::printf("%.2f %%\n", 100 * test.accuracy);

#ifndef REBASIN_NN_EVALUATE_H_
#define REBASIN_NN_EVALUATE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rebasin/nn/compute.h"

namespace rebasin {

// The predictions whose confidence (the probability of the predicted class)
// lies in one interval of [0, 1].
struct ReliabilityBin {
  int64_t count = 0;      // number of predictions in the interval
  double confidence = 0;  // mean confidence; 0 if count is 0
  double accuracy = 0;    // share of correct predictions
};

// The result of an evaluation; rates are shares from 0 to 1.
struct Evaluation {
  int64_t examples = 0;  // number evaluated
  double loss = 0;       // mean cross-entropy, in nats
  double accuracy = 0;   // share of examples whose top class is right
  double top5 = 0;       // the same for the top five; 0 if classes <= 5
  // Expected calibration error: the mean of |confidence - accuracy| over the
  // bins, weighted by their counts.
  double calibration_error = 0;
  std::vector<ReliabilityBin> bins = {};  // of equal width, in ascending order
  // The temperature by which the logits must be divided to minimise the loss,
  // and the loss at that temperature. Above 1, the model is overconfident. Set
  // only with EvaluateOptions::find_temperature.
  double temperature = 1;
  double calibrated_loss = 0;
  // The predicted class of each example, -1 where the output is not a number.
  // Set only with EvaluateOptions::keep_predictions.
  std::vector<int32_t> predictions = {};
};

// All fields have usable defaults except `normalization`.
struct EvaluateOptions {
  ComputeOptions compute = {};
  // Must be the normalization that the model was trained with.
  Normalization normalization = {};
  int64_t batch_size = 0;  // 0: chosen so that activations fit the cache
  int bins = 15;           // number of reliability bins
  // Computes `temperature` and `calibrated_loss`. Can take longer than running
  // a small network.
  bool find_temperature = false;
  // Computes `predictions`.
  bool keep_predictions = false;
};

// Runs `model` over `data` and scores its predictions. The first output of the
// graph is read as logits, or as probabilities if a Softmax computes it.
//
// Batches run in parallel, one for each thread, and are summed in order: the
// result is the same for any number of threads, and memory does not grow with
// the data. Throws Error(kMismatch) if the data does not fit the graph (shape,
// labels, classes) or is empty, Error(kUnsupported) if the graph cannot be run,
// Error(kUsage) if the device is not available.
Evaluation Evaluate(const std::shared_ptr<const Graph>& graph,
                    const Checkpoint& model, const Dataset& data,
                    const EvaluateOptions& options = {}, const Run& run = {});

// Evaluates the mean of the models' predicted probabilities. Costs as much as
// one Evaluate for each model. Throws Error(kUsage) if `models` is empty, and
// what Evaluate throws.
Evaluation EvaluateEnsemble(const std::shared_ptr<const Graph>& graph,
                            std::span<const Checkpoint> models,
                            const Dataset& data,
                            const EvaluateOptions& options = {},
                            const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_EVALUATE_H_
