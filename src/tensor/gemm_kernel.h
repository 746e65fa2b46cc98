// The inner kernel of the matrix product, for the instruction set in use.

#ifndef REBASIN_TENSOR_GEMM_KERNEL_H_
#define REBASIN_TENSOR_GEMM_KERNEL_H_

#include <cstdint>

namespace rebasin {

// The rectangle of the result that one call of the kernel holds in registers.
struct GemmTile {
  int64_t rows = 0, columns = 0;
};

// No tile is larger than this on any processor.
inline constexpr GemmTile kLargestGemmTile = {.rows = 12, .columns = 32};

GemmTile GemmTileHere();

// c += a * b for one full tile. a has its rows' elements step by step
// ([k][rows]), and b its columns' elements ([k][columns]).
void MultiplyTile(int64_t k, const float* a, const float* b, float* c,
                  int64_t c_stride);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_GEMM_KERNEL_H_
