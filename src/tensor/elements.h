// Elements of any arithmetic type in memory, read as float32.
//
// Models are often larger than memory would hold as float32, so products
// convert elements where they read them. Conversion is that of ToFloats: exact
// for F16 and BF16, rounded to nearest for F64.

#ifndef REBASIN_TENSOR_ELEMENTS_H_
#define REBASIN_TENSOR_ELEMENTS_H_

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "rebasin/tensor.h"
#include "tensor/convert.h"

namespace rebasin {

// The stored form of the 16-bit types.
struct BF16 {
  uint16_t bits;
};
struct F16 {
  uint16_t bits;
};

inline float AsFloat(float value) { return value; }
inline float AsFloat(double value) { return static_cast<float>(value); }
inline float AsFloat(BF16 value) { return BF16ToFloat(value.bits); }
inline float AsFloat(F16 value) { return F16ToFloat(value.bits); }

// Points to elements of `dtype`, which must be arithmetic. They are aligned for
// their type.
struct Elements {
  const std::byte* data = nullptr;
  DType dtype = DType::kF32;

  Elements() = default;
  Elements(const std::byte* bytes, DType type) : data(bytes), dtype(type) {}
  Elements(const float* floats)  // NOLINT(google-explicit-constructor)
      : data(reinterpret_cast<const std::byte*>(floats)) {}

  // Calls body(pointer) with a pointer to the elements' own type.
  template <typename Body>
  decltype(auto) Visit(const Body& body) const {
    switch (dtype) {
      case DType::kBF16:
        return body(reinterpret_cast<const BF16*>(data));
      case DType::kF16:
        return body(reinterpret_cast<const F16*>(data));
      case DType::kF64:
        return body(reinterpret_cast<const double*>(data));
      default:
        assert(dtype == DType::kF32);
        return body(reinterpret_cast<const float*>(data));
    }
  }

  int64_t item() const { return DTypeBits(dtype) / 8; }
  Elements operator+(int64_t offset) const {
    return {data + offset * item(), dtype};
  }
  // Slow: asks for the type.
  float operator[](int64_t i) const {
    return Visit([&](const auto* own) { return AsFloat(own[i]); });
  }
};

// The tensor's elements in place; null if they are not aligned for their type.
inline Elements ElementsInPlace(const Tensor& tensor) {
  const auto address = reinterpret_cast<uintptr_t>(tensor.bytes.data());
  const auto item = static_cast<uintptr_t>(DTypeBits(tensor.dtype)) / 8;
  if (address % item != 0) return {};
  return {tensor.bytes.data(), tensor.dtype};
}

}  // namespace rebasin

#endif  // REBASIN_TENSOR_ELEMENTS_H_
