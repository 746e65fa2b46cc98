// Least squares from sums over batches of rows.

#ifndef REBASIN_NN_NORMAL_EQUATIONS_H_
#define REBASIN_NN_NORMAL_EQUATIONS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace rebasin::nn {

// Products of centred rows: of one batch, or of many. All tensors are of type
// double, with a first axis for independent systems.
struct Moments {
  int64_t rows = 0;
  at::Tensor mean_in = {}, mean_out = {};  // [groups, inputs], [..., outputs]
  at::Tensor gram = {};                    // [groups, inputs, inputs]
  at::Tensor cross = {};                   // [groups, inputs, outputs]
};

// `inputs` and `outputs` are [groups, rows, columns], of type float. Products
// are computed in float.
Moments MomentsOf(const at::Tensor& inputs, const at::Tensor& outputs);

// Adds a batch. Sums depend on the order of batches.
void Add(const Moments& batch, Moments& sum);

// outputs = inputs * weight + bias.
struct LinearFit {
  at::Tensor weight = {};  // [groups, inputs, outputs]
  at::Tensor bias = {};    // [groups, outputs]
  at::Tensor mean = {};    // of inputs * weight, and the variance
  at::Tensor variance = {};
};

// Ridge regression; the penalty is `ridge` times the mean of the squares of the
// inputs. Without `with_bias`, the line goes through the origin and the bias is
// zero. Throws Error(kBadInput) if sums are not finite.
LinearFit Solve(const Moments& moments, double ridge, bool with_bias);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_NORMAL_EQUATIONS_H_
