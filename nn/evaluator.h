// Evaluates weights on data repeatedly: the points of a line, the epochs of a
// training.

#ifndef REBASIN_NN_EVALUATOR_H_
#define REBASIN_NN_EVALUATOR_H_

#include <memory>
#include <span>

#include "base/parallel.h"
#include "nn/classifier.h"
#include "nn/weights.h"
#include "rebasin/nn/evaluate.h"

namespace rebasin::nn {

class Evaluator {
 public:
  // Throws what Evaluate throws for graph and data. With `own_statistics`,
  // BatchNorm uses the mean and variance of each batch instead of running
  // statistics, which approximates the network after recalculating them.
  Evaluator(std::shared_ptr<const Graph> graph, Dataset data,
            const EvaluateOptions& options, const rebasin::Run& run,
            bool own_statistics = false);

  Evaluation Run(const Weights& weights);
  // Evaluates the mean of the models' probabilities.
  Evaluation RunEnsemble(std::span<const Weights> models);

  const Dataset& data() const { return data_; }
  const Classifier& classifier() const { return classifier_; }

 private:
  Evaluation RunPrepared(std::span<const std::vector<at::Tensor>> models);
  at::Tensor LogitsOf(const std::vector<at::Tensor>& model,
                      const at::Tensor& examples) const;
  at::Tensor JointLogits(std::span<const std::vector<at::Tensor>> models,
                         const at::Tensor& examples) const;

  Dataset data_;
  EvaluateOptions options_;
  rebasin::Run run_;
  Classifier classifier_;
  std::vector<bool> own_;  // weights that batches replace; may be empty
  ThreadPool pool_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_EVALUATOR_H_
