// Sums over activations that can be used.

#ifndef REBASIN_NN_FINITE_H_
#define REBASIN_NN_FINITE_H_

#include <ATen/ATen.h>

#include <initializer_list>

#include "rebasin/error.h"

namespace rebasin::nn {

// Throws Error(kBadInput) if a number is NaN or infinite.
inline void RequireFinite(std::initializer_list<at::Tensor> sums) {
  for (const at::Tensor& sum : sums) {
    if (at::isfinite(sum).all().item<bool>()) continue;
    throw Error(ErrorCode::kBadInput,
                "activations are NaN, infinite or too large");
  }
}

}  // namespace rebasin::nn

#endif  // REBASIN_NN_FINITE_H_
