// Tiles of the matrix product whose operands are rounded to bfloat16: where the
// processor multiplies pairs of those (AVX512_BF16), twice as fast as float32.
// Written with intrinsics, because Debian's Highway does not know this set.

#ifndef REBASIN_TENSOR_GEMM_ROUNDED_H_
#define REBASIN_TENSOR_GEMM_ROUNDED_H_

#include <cstdint>

#include "tensor/gemm_kernel.h"

namespace rebasin {

// Whether this processor can; if not, the functions below must not be called.
bool MultipliesRounded();

inline constexpr GemmTile kRoundedGemmTile = {.rows = 12, .columns = 32};

// Rounds a packed panel ([steps][width]) to the nearest, and puts two steps of
// a unit into one word of 32 bits ([(steps + 1) / 2][width]); beyond an odd end
// comes a zero. Words are moved as floats, and never computed with as such.
void RoundPanel(int64_t steps, int64_t width, const float* panel, float* words);

// As MultiplyTile, for panels of words. Sums are float32.
void MultiplyRoundedTile(int64_t words, const float* a, const float* b,
                         float* c, int64_t c_stride);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_GEMM_ROUNDED_H_
