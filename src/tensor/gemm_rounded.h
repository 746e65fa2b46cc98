// Tiles of the matrix product with operands in bfloat16: twice as fast
// as float32 on processors that multiply pairs of them (AVX512_BF16). Written
// with intrinsics, because Debian's version of Highway does not support this
// set.

#ifndef REBASIN_TENSOR_GEMM_ROUNDED_H_
#define REBASIN_TENSOR_GEMM_ROUNDED_H_

#include <cstdint>

#include "tensor/gemm_kernel.h"

namespace rebasin {

// True if this processor supports it; otherwise the functions below must not be
// called.
bool MultipliesRounded();

inline constexpr GemmTile kRoundedGemmTile = {.rows = 12, .columns = 32};

// Which of two steps is in the lower half of a word. The processor adds the
// product of the upper halves first.
enum class WordOrder {
  kEvenLow,
  // The steps are added in their order. As the product of two bfloat16 numbers
  // is exact in float32, sums then have the bits of MultiplyTile, unless a
  // product or a sum is subnormal: the instruction takes those for zero.
  kEvenHigh,
};

// True if this processor supports it and adds in the order above; a few sums
// are compared once. Other processors might add differently.
bool MultipliesBFloat16Exactly();

// Rounds a packed panel ([steps][width]) to nearest, and packs two steps of a
// unit into one 32-bit word ([(steps + 1) / 2][width]); an odd last step is
// paired with a zero. Words are moved as floats, but no arithmetic is done on
// them as floats.
void RoundPanel(WordOrder order, int64_t steps, int64_t width,
                const float* panel, float* words);

// Like MultiplyTile, for panels of words. Sums are float32.
void MultiplyRoundedTile(int64_t words, const float* a, const float* b,
                         float* c, int64_t c_stride);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_GEMM_ROUNDED_H_
