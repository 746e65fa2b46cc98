// Tensors as they lie in checkpoints: a name, an element type, a shape and the
// raw little-endian bytes in row-major order.

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

// The element types of the safetensors format.
enum class DType : uint8_t {
  kBool,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kF8E8M0,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
  kF4,
  kF6E2M3,
  kF6E3M2,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kC64,
  kF64,
  kI64,
  kU64,
};

std::string_view DTypeName(DType dtype);  // "F32", "BF16", ...
std::optional<DType> DTypeFromName(std::string_view name);

// Bits per element; F4 and F6 are smaller than a byte.
int DTypeBits(DType dtype);

// True for the types on which this library does arithmetic: F64, F32, F16,
// BF16. All others are only ever copied.
bool IsArithmetic(DType dtype);

using Shape = std::vector<int64_t>;

std::string ShapeText(std::span<const int64_t> shape);  // "[64, 3, 3, 3]"

// A named tensor. The bytes belong to `owner` (a file mapping or a buffer),
// which the tensor keeps alive; copies are cheap and share the bytes.
// Immutable after construction, so safe to read from any number of threads.
struct Tensor {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  // Number of elements: the product of the shape; 1 for a scalar.
  int64_t size() const;
};

// Converts elements [begin, begin + out.size()) to float32 or float64.
// Requires IsArithmetic(tensor.dtype) and the range to lie inside. Doubles
// beyond the range of float32 become infinities.
void ReadFloats(const Tensor& tensor, int64_t begin, std::span<float> out);
void ReadDoubles(const Tensor& tensor, int64_t begin, std::span<double> out);

// The float32 elements in place, without a copy. Empty unless the type is F32
// and the bytes are aligned for it.
std::span<const float> FloatsInPlace(const Tensor& tensor);

// A tensor that owns a copy of `values`, stored as `dtype` (arithmetic types
// only, rounded to nearest even). Throws Error(kBadInput) if a finite value
// overflows `dtype`. Requires as many values as the shape holds.
Tensor MakeTensor(std::string name, Shape shape, std::span<const float> values,
                  DType dtype = DType::kF32);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_H_
