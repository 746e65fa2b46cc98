// The loss of a batch and its gradient.
//
// If examples are independent, that is, if no BatchNorm uses batch statistics,
// a batch is split into a few parts, one thread each, and their gradients are
// added in order. The split depends only on the batch, so the result is bitwise
// the same for any number of threads. Threads synchronise once for each step,
// not for each operator, which also works well on a busy machine. With
// BatchNorm, operators use the threads themselves.

#ifndef REBASIN_NN_GRADIENT_H_
#define REBASIN_NN_GRADIENT_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "nn/classifier.h"
#include "nn/weights.h"

namespace rebasin::nn {

struct BatchGradient {
  double loss = 0;  // mean over the batch
  int64_t correct = 0;
  // Gradients of the mean loss, by weight; undefined for statistics, for unused
  // weights, and if the loss is not finite.
  std::vector<at::Tensor> gradients = {};
};

class GradientMaker {
 public:
  // Both must outlive the object. Uses the current values of the weights; each
  // Run updates statistics.
  GradientMaker(const Classifier& classifier, const Weights& weights,
                int threads);

  // Takes examples [batch, example_size] and labels [batch] on the CPU.
  // BatchNorm uses batch statistics, or the running ones.
  BatchGradient Run(const at::Tensor& examples, const at::Tensor& labels,
                    bool own_statistics = true);
  BatchGradient Run(const Batch& batch, bool own_statistics = true);

 private:
  BatchGradient RunPart(const at::Tensor& examples, const at::Tensor& labels,
                        int64_t batch, bool own_statistics) const;
  void KeepStatistics(std::span<const at::Tensor> prepared) const;
  void AddUp(std::vector<BatchGradient>& parts);

  const Classifier& classifier_;
  const bool whole_;  // batches must not be split
  const int threads_;
  ThreadPool pool_;
  std::vector<bool> statistics_;
  std::vector<at::Tensor> leaves_;   // all weights
  std::vector<at::Tensor> trained_;  // those with gradients
  std::vector<size_t> trained_at_;   // and their indices among all
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_GRADIENT_H_
