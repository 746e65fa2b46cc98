#include "nn/normal_equations.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "nn/finite.h"

namespace rebasin::nn {
namespace {

// Only the blocks on and above the diagonal are computed: for many inputs,
// half of the work.
constexpr int64_t kBlock = 128;

at::Tensor Gram(const at::Tensor& rows) {
  const int64_t n = rows.size(1);
  const at::Tensor transposed = rows.transpose(1, 2);
  if (n <= kBlock) return at::bmm(rows, transposed).to(at::kDouble);
  at::Tensor gram =
      at::empty({rows.size(0), n, n}, rows.options().dtype(at::kDouble));
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t size = std::min(kBlock, n - begin);
    const at::Tensor strip = at::bmm(rows.narrow(1, begin, size),
                                     transposed.narrow(2, begin, n - begin))
                                 .to(at::kDouble);
    gram.narrow(1, begin, size).narrow(2, begin, n - begin).copy_(strip);
    gram.narrow(2, begin, size)
        .narrow(1, begin, n - begin)
        .copy_(strip.transpose(1, 2));
  }
  return gram;
}

at::Tensor Mean(const at::Tensor& rows) { return rows.mean(2, false); }

at::Tensor Outer(const at::Tensor& x, const at::Tensor& y) {
  return x.unsqueeze(2) * y.unsqueeze(1);
}

at::Tensor CrossOf(const at::Tensor& inputs, const at::Tensor& outputs) {
  return at::bmm(inputs, outputs.transpose(1, 2)).to(at::kDouble);
}

// The weighted mean of two means.
at::Tensor Between(const at::Tensor& x, int64_t x_rows, const at::Tensor& y,
                   int64_t y_rows) {
  const double share =
      static_cast<double>(y_rows) / static_cast<double>(x_rows + y_rows);
  return x + (y - x) * share;
}

}  // namespace

at::Tensor Penalised(const at::Tensor& products, const at::Tensor& squares,
                     double ridge) {
  // A system whose inputs never move has no solution but zero.
  const at::Tensor penalty =
      at::where(squares > 0, ridge * squares, at::ones_like(squares));
  return products + penalty.view({-1, 1, 1}) *
                        at::eye(products.size(1), products.options());
}

at::Tensor AffineOutputs(const at::Tensor& weight, const at::Tensor& bias,
                         const at::Tensor& inputs) {
  const at::ScalarType type = inputs.scalar_type();
  return at::baddbmm(bias.to(type).unsqueeze(2),
                     weight.to(type).transpose(1, 2), inputs);
}

Moments MomentsOf(at::Tensor inputs, const at::Tensor& outputs) {
  // Any point near the mean serves as the origin of float products.
  const at::Tensor in = Mean(inputs), out = Mean(outputs);
  inputs.sub_(in.unsqueeze(2));
  return {.rows = inputs.size(2),
          .mean_in = in.to(at::kDouble),
          .mean_out = out.to(at::kDouble),
          .gram = Gram(inputs),
          .cross = CrossOf(inputs, outputs - out.unsqueeze(2))};
}

// Chan, Golub and LeVeque's update of centred sums.
void Add(const Moments& batch, Moments& sum) {
  if (sum.rows == 0) {
    sum = batch;
    return;
  }
  const at::Tensor in = batch.mean_in - sum.mean_in;
  const at::Tensor out = batch.mean_out - sum.mean_out;
  const double between = static_cast<double>(sum.rows) *
                         static_cast<double>(batch.rows) /
                         static_cast<double>(sum.rows + batch.rows);
  sum.gram.add_(batch.gram).add_(Outer(in, in), between);
  sum.cross.add_(batch.cross).add_(Outer(in, out), between);
  sum.mean_in = Between(sum.mean_in, sum.rows, batch.mean_in, batch.rows);
  sum.mean_out = Between(sum.mean_out, sum.rows, batch.mean_out, batch.rows);
  sum.rows += batch.rows;
}

void Add(const ErrorSums& batch, ErrorSums& sum) {
  if (sum.rows == 0) {
    sum = batch;
    return;
  }
  sum.cross.add_(batch.cross);
  sum.mean = Between(sum.mean, sum.rows, batch.mean, batch.rows);
  sum.rows += batch.rows;
}

LinearSystem::LinearSystem(const Moments& moments, double ridge, bool with_bias)
    : moments_(moments), with_bias_(with_bias) {
  RequireFinite({moments.gram, moments.cross});
  at::Tensor gram = moments.gram, cross = moments.cross;
  if (!with_bias) {  // around the origin instead of the mean
    const auto rows = static_cast<double>(moments.rows);
    gram = gram + rows * Outer(moments.mean_in, moments.mean_in);
    cross = cross + rows * Outer(moments.mean_in, moments.mean_out);
  }
  const at::Tensor squares = gram.diagonal(0, 1, 2).mean(1);
  root_ = at::linalg_cholesky(Penalised(gram, squares, ridge));
  weight_ = at::cholesky_solve(cross, root_);
  bias_ = at::zeros_like(moments.mean_out);
  if (with_bias) bias_ = moments.mean_out - WeightedMean(weight_);
}

at::Tensor LinearSystem::WeightedMean(const at::Tensor& weight) const {
  return at::bmm(moments_.mean_in.unsqueeze(1), weight).squeeze(1);
}

at::Tensor LinearSystem::Outputs(const at::Tensor& inputs) const {
  return AffineOutputs(weight_, bias_, inputs);
}

ErrorSums LinearSystem::SumsOf(at::Tensor inputs,
                               const at::Tensor& errors) const {
  const at::Tensor origin =
      with_bias_ ? moments_.mean_in : at::zeros_like(moments_.mean_in);
  inputs.sub_(origin.to(inputs.scalar_type()).unsqueeze(2));
  return {.rows = inputs.size(2),
          .mean = Mean(errors).to(at::kDouble),
          .cross = CrossOf(inputs, errors)};
}

void LinearSystem::Improve(const ErrorSums& errors, double step) {
  RequireFinite({errors.cross});
  const at::Tensor change = step * at::cholesky_solve(errors.cross, root_);
  weight_ = weight_ + change;
  if (with_bias_) bias_ = bias_ + step * errors.mean - WeightedMean(change);
}

LinearFit LinearSystem::Fit() const {
  return {.weight = weight_,
          .bias = bias_,
          .mean = WeightedMean(weight_),
          .variance = (at::bmm(moments_.gram, weight_) * weight_).sum(1) /
                      static_cast<double>(moments_.rows)};
}

}  // namespace rebasin::nn
