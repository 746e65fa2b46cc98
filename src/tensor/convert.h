// Conversion between stored element types and float or double.
//
// All conversions round to nearest, ties to even, directly from the source type
// (double to F16 is rounded once, not via float). Zeros keep their sign,
// subnormals are exact, and infinities stay infinite. A NaN stays a NaN with
// its sign and the leading bits of its payload, and becomes quiet; only BF16 to
// float and equal types copy the bits.
//
// Speed is limited by memory: the compiler vectorises the loops, and F16 uses
// the F16C instructions if the processor has them. Results do not depend on the
// processor.

#ifndef REBASIN_TENSOR_CONVERT_H_
#define REBASIN_TENSOR_CONVERT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rebasin/tensor.h"

namespace rebasin {

// Converts stored elements to numbers. `in` has out.size() elements of `dtype`
// (arithmetic types only) and need not be aligned.
void ToFloats(DType dtype, std::span<const std::byte> in, std::span<float> out);
void ToDoubles(DType dtype, std::span<const std::byte> in,
               std::span<double> out);

// Converts numbers to stored elements, all of them. Returns the index of the
// first finite value that overflowed to infinity, if any.
std::optional<int64_t> FromFloats(std::span<const float> in, DType dtype,
                                  std::span<std::byte> out);
std::optional<int64_t> FromDoubles(std::span<const double> in, DType dtype,
                                   std::span<std::byte> out);

// Conversions of single elements.
inline float BF16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline uint16_t FloatToBF16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = bits + 0x7FFF + ((bits >> 16) & 1);
  const uint32_t quiet_nan = bits | 0x400000;
  const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
  return static_cast<uint16_t>((is_nan ? quiet_nan : rounded) >> 16);
}

float F16ToFloat(uint16_t bits);
uint16_t FloatToF16(float value);

// Rounds to odd: rounding the result to a type of at most 22 significant bits
// gives the same as rounding the double directly.
float DoubleToFloatRoundedToOdd(double value);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_CONVERT_H_
