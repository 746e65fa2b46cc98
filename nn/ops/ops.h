// The lowerings, one file a family, as in graph/ops.

#ifndef REBASIN_NN_OPS_OPS_H_
#define REBASIN_NN_OPS_OPS_H_

#include <span>

#include "nn/lowering.h"

namespace rebasin::nn {

std::span<const Lowering> ElementwiseLowerings();  // Relu, Add, Where ...
std::span<const Lowering> ProductLowerings();      // MatMul, Gemm, Einsum
std::span<const Lowering> ConvLowerings();         // and ConvTranspose
std::span<const Lowering> NormLowerings();
std::span<const Lowering> PoolingLowerings();
std::span<const Lowering> ShapeLowerings();  // Reshape, Transpose ...

}  // namespace rebasin::nn

#endif  // REBASIN_NN_OPS_OPS_H_
