// Stochastic gradient descent and Adam over flat weights, one fused pass for
// each step: each number is read and written once. Separate operators would do
// so five to ten times.

#ifndef REBASIN_NN_OPTIMIZER_H_
#define REBASIN_NN_OPTIMIZER_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "nn/weights.h"
#include "rebasin/nn/train.h"

namespace rebasin::nn {

class Optimizer {
 public:
  Optimizer(const Recipe& recipe, const Weights& weights);

  // `gradients` are in the order of weights.tensors(), undefined for statistics
  // and unused weights. The result is the same for any number of threads.
  void Step(const Weights& weights, std::span<const at::Tensor> gradients,
            double learning_rate);

  // The state, flat, as long as the trained weights. SGD has no second().
  const at::Tensor& first() const { return first_; }
  const at::Tensor& second() const { return second_; }
  int64_t steps() const { return steps_; }
  void Restore(const at::Tensor& first, const at::Tensor& second,
               int64_t steps);

 private:
  Recipe recipe_;
  at::Tensor first_, second_;
  int64_t steps_ = 0;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_OPTIMIZER_H_
