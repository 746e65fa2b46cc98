// Half precision, whose conversion is more than a shift or a cast.

#ifndef REBASIN_TENSOR_CONVERT_F16_H_
#define REBASIN_TENSOR_CONVERT_F16_H_

#include <cstdint>
#include <span>

namespace rebasin {

// Both spans have the same length.
void F16sToFloats(std::span<const uint16_t> in, std::span<float> out);
void FloatsToF16s(std::span<const float> in, std::span<uint16_t> out);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_CONVERT_F16_H_
