// Whether products of bfloat16 values stay in the range of normal floats.

#ifndef REBASIN_TENSOR_BFLOAT16_RANGE_H_
#define REBASIN_TENSOR_BFLOAT16_RANGE_H_

#include <cstddef>
#include <cstdint>

#include "tensor/elements.h"

namespace rebasin {

// The exponent field (1 to 254) of the smallest values except zeros; 0 if there
// are subnormal ones, 255 if all are zero.
int SmallestExponent(const BF16* values, size_t count);

// True if no product of two values with these smallest exponents, and no sum of
// such products however it is rounded, is subnormal: all are multiples of the
// product of the values' last bits.
inline bool BFloat16ProductsAreNormal(int exponent_a, int exponent_b) {
  constexpr int kBias = 127, kLastBit = 7, kSmallestNormal = -126;
  if (exponent_a == 0 || exponent_b == 0) return false;
  return (exponent_a - kBias - kLastBit) + (exponent_b - kBias - kLastBit) >=
         kSmallestNormal;
}

}  // namespace rebasin

#endif  // REBASIN_TENSOR_BFLOAT16_RANGE_H_
