// Tensors as checkpoints store them: a name, an element type, a shape, and the
// raw little-endian bytes in row-major order.
//
//   const rebasin::Tensor bias =
//       rebasin::MakeTensor("fc.bias", {3}, std::vector<float>{1, 2, 3});
//   std::vector<float> values(bias.size());
//   rebasin::ReadFloats(bias, 0, values);

#ifndef REBASIN_TENSOR_H_
#define REBASIN_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rebasin {

// The element types of the safetensors format, with its names for them: kF8E4M3
// is "F8_E4M3". The FNUZ variants have no negative zero and no infinities.
enum class DType : uint8_t {
  kBool,  // one byte, 0 or 1
  kU8,
  kI8,
  kF8E5M2,  // 5 bits of exponent, 2 of mantissa
  kF8E4M3,  // 4 bits of exponent, 3 of mantissa
  kF8E8M0,  // 8 bits of exponent: a power of two
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
  kF4,  // E2M1, two elements in a byte
  kF6E2M3,
  kF6E3M2,
  kI16,
  kU16,
  kF16,   // IEEE half precision
  kBF16,  // the upper half of a float32
  kI32,
  kU32,
  kF32,
  kC64,  // two float32: real, imaginary
  kF64,
  kI64,
  kU64,
};

// Returns the format's name of a type: "F32", "BF16", ...
std::string_view DTypeName(DType dtype);
// The inverse of DTypeName; nothing for unknown names.
std::optional<DType> DTypeFromName(std::string_view name);

// Returns the bits of one element. F4 and F6 elements are smaller than a byte
// and are packed.
int DTypeBits(DType dtype);

// True for F64, F32, F16 and BF16, the types on which this library does
// arithmetic. Elements of other types are only copied.
bool IsArithmetic(DType dtype);

// The size of each axis; empty for a scalar.
using Shape = std::vector<int64_t>;

// Formats a shape for messages: "[64, 3, 3, 3]".
std::string ShapeText(std::span<const int64_t> shape);

// A named tensor. `owner` keeps `bytes` alive: a file mapping or a buffer.
// Copies are cheap and share the bytes. Immutable after construction, so it is
// safe to read from any number of threads.
struct Tensor {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  // The elements, without padding: size() * DTypeBits(dtype) / 8 bytes.
  std::span<const std::byte> bytes;
  // Never null if `bytes` is not empty.
  std::shared_ptr<const void> owner;

  // The number of elements: the product of the shape; 1 for a scalar.
  int64_t size() const;
};

// Converts the elements [begin, begin + out.size()) to float32 or float64.
// Requires IsArithmetic(tensor.dtype) and a range inside the tensor. Float64
// values beyond the range of float32 become infinities.
void ReadFloats(const Tensor& tensor, int64_t begin, std::span<float> out);
void ReadDoubles(const Tensor& tensor, int64_t begin, std::span<double> out);

// Returns the elements without a copy, or an empty span if the type is not F32
// or the bytes are not aligned. The span is valid as long as the tensor's
// owner.
std::span<const float> FloatsInPlace(const Tensor& tensor);

// Returns a tensor that owns a copy of `values`, converted to `dtype` with
// rounding to nearest even. `dtype` must be arithmetic, and the number of
// values must be the product of `shape`. Throws Error(kBadInput) if a finite
// value overflows `dtype`.
Tensor MakeTensor(std::string name, Shape shape, std::span<const float> values,
                  DType dtype = DType::kF32);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_H_
