// Least squares from sums over batches of rows.

#ifndef REBASIN_NN_NORMAL_EQUATIONS_H_
#define REBASIN_NN_NORMAL_EQUATIONS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace rebasin::nn {

// Rows are the last axis of all matrices: [groups, inputs or outputs, rows], of
// type float. Sums over rows are of type double and have no such axis. The
// first axis is for independent systems.

// Products of centred rows: of one batch, or of many.
struct Moments {
  int64_t rows = 0;
  at::Tensor mean_in = {}, mean_out = {};
  at::Tensor gram = {};   // [groups, inputs, inputs]
  at::Tensor cross = {};  // [groups, inputs, outputs]
};

// Products are computed in float. Overwrites `inputs`.
Moments MomentsOf(at::Tensor inputs, const at::Tensor& outputs);

// Adds a batch. Sums depend on the order of batches.
void Add(const Moments& batch, Moments& sum);

// Products of centred inputs and errors of a fit.
struct ErrorSums {
  int64_t rows = 0;
  at::Tensor mean = {};   // [groups, outputs]
  at::Tensor cross = {};  // [groups, inputs, outputs]
};

void Add(const ErrorSums& batch, ErrorSums& sum);

// outputs = inputs * weight + bias.
struct LinearFit {
  at::Tensor weight = {};  // [groups, inputs, outputs]
  at::Tensor bias = {};    // [groups, outputs]
  at::Tensor mean = {};    // of inputs * weight, and the variance
  at::Tensor variance = {};
};

// `products` with `ridge` times `squares`, one number for each group, on the
// diagonal.
at::Tensor Penalised(const at::Tensor& products, const at::Tensor& squares,
                     double ridge);

// [groups, outputs, rows], in the type of `inputs`.
at::Tensor AffineOutputs(const at::Tensor& weight, const at::Tensor& bias,
                         const at::Tensor& inputs);

// Ridge regression, whose solution can be improved by errors that are counted
// in another way than plain differences.
class LinearSystem {
 public:
  // The penalty is `ridge` times the mean of the squares of the inputs. Without
  // `with_bias`, the line goes through the origin and the bias is zero. Throws
  // Error(kBadInput) if sums are not finite.
  LinearSystem(const Moments& moments, double ridge, bool with_bias);

  // The outputs of the present solution, [groups, outputs, rows].
  at::Tensor Outputs(const at::Tensor& inputs) const;

  // The sums of one batch. Overwrites `inputs`.
  ErrorSums SumsOf(at::Tensor inputs, const at::Tensor& errors) const;
  // Adds `step` times the solution for the errors.
  void Improve(const ErrorSums& errors, double step);

  LinearFit Fit() const;

 private:
  // The mean of the inputs times weights.
  at::Tensor WeightedMean(const at::Tensor& weight) const;

  Moments moments_;
  bool with_bias_;
  at::Tensor root_;           // Cholesky's, of the penalised Gram matrix
  at::Tensor weight_, bias_;  // the present solution
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_NORMAL_EQUATIONS_H_
