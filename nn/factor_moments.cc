#include "nn/factor_moments.h"

#include <ATen/ATen.h>

#include "nn/finite.h"

namespace rebasin::nn {

FactorMoments FactorMomentsOf(const at::Tensor& inputs,
                              const at::Tensor& outputs,
                              const Shape& factor_shape) {
  const at::Tensor x = inputs.to(at::kCPU, at::kDouble);
  const at::Tensor y = outputs.to(at::kCPU, at::kDouble);
  const auto sum = [&](const at::Tensor& values) {
    return values.sum_to_size(factor_shape).contiguous();
  };
  FactorMoments moments{
      .in = sum(x), .out = sum(y), .square = sum(x * x), .cross = sum(x * y)};
  moments.count =
      static_cast<double>(x.numel()) / static_cast<double>(moments.in.numel());
  return moments;
}

void Add(const FactorMoments& batch, FactorMoments& sum) {
  if (sum.count == 0) {
    sum = batch;
    return;
  }
  sum.count += batch.count;
  sum.in = sum.in + batch.in;
  sum.out = sum.out + batch.out;
  sum.square = sum.square + batch.square;
  sum.cross = sum.cross + batch.cross;
}

FactorFit Solve(const FactorMoments& moments, double ridge, bool with_term) {
  RequireFinite({moments.square, moments.cross});
  const at::Tensor mean_in = moments.in / moments.count;
  const at::Tensor mean_out = moments.out / moments.count;
  at::Tensor square = moments.square / moments.count;
  at::Tensor cross = moments.cross / moments.count;
  if (with_term) {
    square = square - mean_in * mean_in;
    cross = cross - mean_in * mean_out;
  }
  const at::Tensor penalty = ridge * square.mean() + 1e-30;
  FactorFit fit{.factor = cross / (square + penalty)};
  fit.term =
      with_term ? mean_out - fit.factor * mean_in : at::zeros_like(fit.factor);
  return fit;
}

}  // namespace rebasin::nn
