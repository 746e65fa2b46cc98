#include <cstring>
#include <utility>

#include "onnx/tensor_data.h"

namespace rebasin {
namespace {

// Elements may be unaligned.
template <typename T>
std::vector<double> Widen(std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(element);
  }
  return values;
}

std::vector<double> Elements(const Tensor& tensor) {
  switch (tensor.dtype) {
    case DType::kBool:
    case DType::kU8:
      return Widen<uint8_t>(tensor.bytes);
    case DType::kI8:
      return Widen<int8_t>(tensor.bytes);
    case DType::kI16:
      return Widen<int16_t>(tensor.bytes);
    case DType::kU16:
      return Widen<uint16_t>(tensor.bytes);
    case DType::kI32:
      return Widen<int32_t>(tensor.bytes);
    case DType::kU32:
      return Widen<uint32_t>(tensor.bytes);
    case DType::kI64:
      return Widen<int64_t>(tensor.bytes);
    case DType::kU64:
      return Widen<uint64_t>(tensor.bytes);
    default: {
      std::vector<double> values(static_cast<size_t>(tensor.size()));
      ReadDoubles(tensor, 0, values);
      return values;
    }
  }
}

}  // namespace

Kind KindOf(DType dtype) {
  if (IsArithmetic(dtype)) return Kind::kFloat;
  return dtype == DType::kBool ? Kind::kBoolean : Kind::kInteger;
}

Array ToArray(const Tensor& tensor) {
  std::vector<double> values = Elements(tensor);
  const Kind kind = KindOf(tensor.dtype);
  if (kind == Kind::kBoolean) {
    for (double& value : values) value = value != 0;
  }
  return MakeArray(kind, tensor.shape, std::move(values));
}

}  // namespace rebasin
