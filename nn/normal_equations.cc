#include "nn/normal_equations.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <tuple>

#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

// Only the blocks on and above the diagonal are computed: for many inputs,
// half of the work.
constexpr int64_t kBlock = 128;

at::Tensor Gram(const at::Tensor& rows) {
  const int64_t n = rows.size(2);
  const at::Tensor columns = rows.transpose(1, 2);
  if (n <= kBlock) return at::bmm(columns, rows).to(at::kDouble);
  at::Tensor gram =
      at::empty({rows.size(0), n, n}, rows.options().dtype(at::kDouble));
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t size = std::min(kBlock, n - begin);
    const at::Tensor strip = at::bmm(columns.narrow(1, begin, size),
                                     rows.narrow(2, begin, n - begin))
                                 .to(at::kDouble);
    gram.narrow(1, begin, size).narrow(2, begin, n - begin).copy_(strip);
    gram.narrow(2, begin, size)
        .narrow(1, begin, n - begin)
        .copy_(strip.transpose(1, 2));
  }
  return gram;
}

at::Tensor Mean(const at::Tensor& rows) {
  return rows.mean(1, /*keepdim=*/false, at::kDouble);
}

at::Tensor Outer(const at::Tensor& x, const at::Tensor& y) {
  return x.unsqueeze(2) * y.unsqueeze(1);
}

// Around the origin instead of the mean.
Moments Uncentred(Moments moments) {
  const auto rows = static_cast<double>(moments.rows);
  moments.gram = moments.gram + rows * Outer(moments.mean_in, moments.mean_in);
  moments.cross =
      moments.cross + rows * Outer(moments.mean_in, moments.mean_out);
  return moments;
}

void CheckFinite(const Moments& moments) {
  const bool finite = at::isfinite(moments.gram).all().item<bool>() &&
                      at::isfinite(moments.cross).all().item<bool>();
  if (finite) return;
  throw Error(ErrorCode::kBadInput,
              "activations are NaN, infinite or too large");
}

}  // namespace

Moments MomentsOf(const at::Tensor& inputs, const at::Tensor& outputs) {
  Moments moments{.rows = inputs.size(1),
                  .mean_in = Mean(inputs),
                  .mean_out = Mean(outputs)};
  const at::Tensor x =
      inputs - moments.mean_in.unsqueeze(1).to(inputs.scalar_type());
  const at::Tensor y =
      outputs - moments.mean_out.unsqueeze(1).to(outputs.scalar_type());
  moments.gram = Gram(x);
  moments.cross = at::bmm(x.transpose(1, 2), y).to(at::kDouble);
  return moments;
}

// Chan, Golub and LeVeque's update of centred sums.
void Add(const Moments& batch, Moments& sum) {
  if (sum.rows == 0) {
    sum = batch;
    return;
  }
  const auto old_rows = static_cast<double>(sum.rows);
  const auto new_rows = static_cast<double>(batch.rows);
  const double rows = old_rows + new_rows;
  const at::Tensor in = batch.mean_in - sum.mean_in;
  const at::Tensor out = batch.mean_out - sum.mean_out;
  const double between = old_rows * new_rows / rows;
  sum.gram.add_(batch.gram).add_(Outer(in, in), between);
  sum.cross.add_(batch.cross).add_(Outer(in, out), between);
  sum.mean_in = sum.mean_in + in * (new_rows / rows);
  sum.mean_out = sum.mean_out + out * (new_rows / rows);
  sum.rows += batch.rows;
}

LinearFit Solve(const Moments& moments, double ridge, bool with_bias) {
  CheckFinite(moments);
  const Moments around = with_bias ? moments : Uncentred(moments);
  const int64_t n = around.gram.size(1);
  const at::Tensor squares = around.gram.diagonal(0, 1, 2).mean(1);
  // A system whose inputs never move has no solution but zero.
  const at::Tensor penalty =
      at::where(squares > 0, ridge * squares, at::ones_like(squares));
  const at::Tensor regular =
      around.gram + penalty.view({-1, 1, 1}) * at::eye(n, squares.options());
  const at::Tensor root = at::linalg_cholesky(regular);
  LinearFit fit{.weight = at::cholesky_solve(around.cross, root)};
  fit.mean = at::bmm(moments.mean_in.unsqueeze(1), fit.weight).squeeze(1);
  fit.variance = (at::bmm(moments.gram, fit.weight) * fit.weight).sum(1) /
                 static_cast<double>(moments.rows);
  fit.bias = with_bias ? moments.mean_out - fit.mean
                       : at::zeros_like(moments.mean_out);
  return fit;
}

}  // namespace rebasin::nn
