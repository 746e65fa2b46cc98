// Least squares for a factor, and often a term, of each channel.

#ifndef REBASIN_NN_FACTOR_MOMENTS_H_
#define REBASIN_NN_FACTOR_MOMENTS_H_

#include <ATen/core/Tensor.h>

#include "rebasin/tensor.h"

namespace rebasin::nn {

// Sums over all elements that one factor multiplies, of type double.
struct FactorMoments {
  double count = 0;
  at::Tensor in = {}, out = {}, square = {}, cross = {};
};

// `factor_shape` has as many axes as `inputs` and `outputs`; those along which
// factors are broadcast have size 1.
FactorMoments FactorMomentsOf(const at::Tensor& inputs,
                              const at::Tensor& outputs,
                              const Shape& factor_shape);

// Adds a batch. Sums depend on the order of batches.
void Add(const FactorMoments& batch, FactorMoments& sum);

// outputs = factor * inputs + term.
struct FactorFit {
  at::Tensor factor = {}, term = {};
};

// The penalty is `ridge` times the mean square of the inputs. Without
// `with_term`, the term is zero. Throws Error(kBadInput) if sums are not
// finite.
FactorFit Solve(const FactorMoments& moments, double ridge, bool with_term);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_FACTOR_MOMENTS_H_
