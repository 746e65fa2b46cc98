#include "nn/few_rows.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "nn/finite.h"

namespace rebasin::nn {
namespace {

// Sums of this many products are rounded to float, and added in double.
constexpr int64_t kBlock = 512;

void Append(const std::vector<at::Tensor>& from, std::vector<at::Tensor>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

// X^T X, [groups, rows, rows].
at::Tensor PairProducts(const at::Tensor& rows) {
  const int64_t n = rows.size(1), count = rows.size(2);
  at::Tensor products = at::zeros({rows.size(0), count, count},
                                  rows.options().dtype(at::kDouble));
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const at::Tensor part = rows.narrow(1, begin, std::min(kBlock, n - begin));
    products.add_(at::bmm(part.transpose(1, 2), part));
  }
  return products;
}

}  // namespace

void Add(const KeptRows& batch, KeptRows& sum) {
  Append(batch.inputs, sum.inputs);
  Append(batch.outputs, sum.outputs);
}

void Add(const KeptErrors& batch, KeptErrors& sum) {
  Append(batch.errors, sum.errors);
}

FewRowsSystem::FewRowsSystem(const KeptRows& rows, double ridge, bool with_bias)
    : with_bias_(with_bias), rows_(at::cat(rows.inputs, 2)) {
  const at::Tensor outputs = at::cat(rows.outputs, 2).to(at::kDouble);
  mean_in_ = rows_.mean(2, /*keepdim=*/true).to(at::kDouble);
  if (with_bias) rows_.sub_(mean_in_.to(rows_.scalar_type()));
  const at::Tensor products = PairProducts(rows_);
  RequireFinite({products, outputs});
  const auto inputs = static_cast<double>(rows_.size(1));
  const at::Tensor squares = products.diagonal(0, 1, 2).sum(1) / inputs;
  root_ = at::linalg_cholesky(Penalised(products, squares, ridge));
  weight_ = at::zeros({rows_.size(0), rows_.size(1), outputs.size(1)},
                      products.options());
  bias_ = at::zeros({rows_.size(0), outputs.size(1)}, products.options());
  AddSolution(outputs, 1);
}

void FewRowsSystem::AddSolution(const at::Tensor& outputs, double step) {
  const at::Tensor mean = outputs.mean(2, /*keepdim=*/true);
  const at::Tensor centred = with_bias_ ? outputs - mean : outputs;
  const at::Tensor shares = at::cholesky_solve(centred.transpose(1, 2), root_);
  const at::Tensor weight =
      step * at::bmm(rows_, shares.to(rows_.scalar_type())).to(at::kDouble);
  weight_ = weight_ + weight;
  if (!with_bias_) return;
  bias_ = bias_ + step * mean.squeeze(2) -
          at::bmm(weight.transpose(1, 2), mean_in_).squeeze(2);
}

at::Tensor FewRowsSystem::Outputs(const at::Tensor& inputs) const {
  return AffineOutputs(weight_, bias_, inputs);
}

KeptErrors FewRowsSystem::SumsOf(const at::Tensor& /*inputs*/,
                                 const at::Tensor& errors) const {
  return {.errors = {errors}};
}

void FewRowsSystem::Improve(const KeptErrors& errors, double step) {
  AddSolution(at::cat(errors.errors, 2).to(at::kDouble), step);
}

LinearFit FewRowsSystem::Fit() const {
  const at::Tensor weight = weight_.to(rows_.scalar_type());
  const at::Tensor products = at::bmm(weight.transpose(1, 2), rows_);
  const at::Tensor centred = products - products.mean(2, /*keepdim=*/true);
  return {.weight = weight_,
          .bias = bias_,
          .mean = at::bmm(weight_.transpose(1, 2), mean_in_).squeeze(2),
          .variance = centred.square().mean(2).to(at::kDouble)};
}

}  // namespace rebasin::nn
