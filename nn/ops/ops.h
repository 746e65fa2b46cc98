// The lowerings, one file a family, as in graph/ops.

#ifndef REBASIN_NN_OPS_OPS_H_
#define REBASIN_NN_OPS_OPS_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "nn/lowering.h"

namespace rebasin::nn {

std::span<const Lowering> ActivationLowerings();   // with parameters
std::span<const Lowering> BinaryLowerings();       // Add, Max, Where ...
std::span<const Lowering> ConvLowerings();         // and ConvTranspose
std::span<const Lowering> ElementwiseLowerings();  // Relu, Cast, Clip ...
std::span<const Lowering> GatherLowerings();       // and Scatter
std::span<const Lowering> NormLowerings();
std::span<const Lowering> OrderLowerings();      // ArgMax, CumSum, TopK ...
std::span<const Lowering> PlainNormLowerings();  // without weights
std::span<const Lowering> PoolingLowerings();
std::span<const Lowering> ProductLowerings();  // MatMul, Gemm, Einsum
std::span<const Lowering> RecurrentLowerings();
std::span<const Lowering> ReduceLowerings();  // and Softmax, global pooling
std::span<const Lowering> ResizeLowerings();
std::span<const Lowering> ShapeLowerings();  // Reshape, Transpose ...
std::span<const Lowering> SliceLowerings();  // Concat, Split, Slice, Pad

// Forms that many lowerings are limited to. What other kinds mean (the root of
// an integer) only the reference says.
bool OfFloats(const OpContext& context);   // input 0 is
bool OfNumbers(const OpContext& context);  // or of integers

// x padded with `fill` by (before, after) for each of its last axes; negative
// padding cuts. x itself if there is none.
at::Tensor Padded(const at::Tensor& x,
                  const std::vector<std::pair<int64_t, int64_t>>& margins,
                  double fill = 0);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_OPS_OPS_H_
