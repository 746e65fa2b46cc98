// Evaluates weights on data, again and again: the points of a line, the epochs
// of a training.

#ifndef REBASIN_NN_EVALUATOR_H_
#define REBASIN_NN_EVALUATOR_H_

#include <memory>
#include <span>

#include "base/parallel.h"
#include "nn/classifier.h"
#include "nn/weights.h"
#include "rebasin/evaluate.h"

namespace rebasin::nn {

class Evaluator {
 public:
  // Throws what Evaluate throws of graph and data.
  Evaluator(std::shared_ptr<const Graph> graph, Dataset data,
            const EvaluateOptions& options);

  Evaluation Run(const Weights& weights);
  // Of the mean of the models' probabilities.
  Evaluation RunEnsemble(std::span<const Weights> models);

  const Dataset& data() const { return data_; }
  const Classifier& classifier() const { return classifier_; }

 private:
  Evaluation RunPrepared(std::span<const std::vector<at::Tensor>> models);

  Dataset data_;
  EvaluateOptions options_;
  Classifier classifier_;
  ThreadPool pool_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_EVALUATOR_H_
