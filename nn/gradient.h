// The loss of a batch and its gradient.
//
// Where examples do not touch each other, which is wherever no BatchNorm looks
// at the whole batch, a batch is cut into a few parts, one thread each, and
// their gradients are added in order. The cuts depend on the batch alone, so
// that the bits do not depend on the number of threads; and threads meet once a
// step and not once an operator, which also a busy machine takes well. With
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
  // Of the mean loss, by weight; undefined for statistics, for weights that do
  // not matter, and if the loss is not finite.
  std::vector<at::Tensor> gradients = {};
};

class GradientMaker {
 public:
  // Both must outlive it. Always sees the weights' present numbers; statistics
  // are moved by each Run.
  GradientMaker(const Classifier& classifier, const Weights& weights,
                int threads);

  // Of examples [batch, example_size] and labels [batch], on the CPU. BatchNorm
  // goes by the batch's own statistics, or by the running ones.
  BatchGradient Run(const at::Tensor& examples, const at::Tensor& labels,
                    bool own_statistics = true);
  BatchGradient Run(const Batch& batch, bool own_statistics = true);

 private:
  BatchGradient RunPart(const at::Tensor& examples, const at::Tensor& labels,
                        int64_t batch, bool own_statistics) const;
  void KeepStatistics(std::span<const at::Tensor> prepared) const;
  void AddUp(std::vector<BatchGradient>& parts);

  const Classifier& classifier_;
  const bool whole_;  // batches must not be cut
  const int threads_;
  ThreadPool pool_;
  std::vector<bool> statistics_;
  std::vector<at::Tensor> leaves_;   // all weights
  std::vector<at::Tensor> trained_;  // those with gradients
  std::vector<size_t> trained_at_;   // and where they are among all
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_GRADIENT_H_
