// Least squares with fewer rows than inputs.
//
// The solution is a combination of the rows, so that products of pairs of rows
// say enough: X (X^T X + p)^-1 Y^T instead of (X X^T + p)^-1 X Y^T. A layer
// with 25,088 inputs and 2,000 rows takes 32 MB for its products instead of 5
// GB.

#ifndef REBASIN_NN_FEW_ROWS_H_
#define REBASIN_NN_FEW_ROWS_H_

#include <ATen/core/Tensor.h>

#include <vector>

#include "nn/normal_equations.h"

namespace rebasin::nn {

// Matrices [groups, inputs or outputs, rows], in the order of batches.
struct KeptRows {
  std::vector<at::Tensor> inputs = {}, outputs = {};
};
void Add(const KeptRows& batch, KeptRows& sum);

// Of each batch, in their order.
struct KeptErrors {
  std::vector<at::Tensor> errors = {};
};
void Add(const KeptErrors& batch, KeptErrors& sum);

// The same as LinearSystem, and the same solution.
class FewRowsSystem {
 public:
  // Throws Error(kBadInput) if products are not finite.
  FewRowsSystem(const KeptRows& rows, double ridge, bool with_bias);

  at::Tensor Outputs(const at::Tensor& inputs) const;
  KeptErrors SumsOf(const at::Tensor& inputs, const at::Tensor& errors) const;
  void Improve(const KeptErrors& errors, double step);
  LinearFit Fit() const;

 private:
  // The solution for outputs [groups, outputs, rows] of type double.
  void AddSolution(const at::Tensor& outputs, double step);

  bool with_bias_;
  at::Tensor mean_in_;  // [groups, inputs, 1], double
  at::Tensor rows_;     // centred, float; around the origin without bias
  at::Tensor root_;     // Cholesky's, of the penalised products
  at::Tensor weight_, bias_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_FEW_ROWS_H_
