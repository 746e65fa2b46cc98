#include "rebasin/tensor.h"

#include <cassert>
#include <utility>

#include "base/checked.h"
#include "rebasin/error.h"
#include "tensor/convert.h"

namespace rebasin {
namespace {

// The bytes of elements [begin, begin + count) of an arithmetic tensor.
std::span<const std::byte> ElementBytes(const Tensor& tensor, int64_t begin,
                                        size_t count) {
  const size_t item = static_cast<size_t>(DTypeBits(tensor.dtype)) / 8;
  assert(begin >= 0);
  assert((static_cast<size_t>(begin) + count) * item <= tensor.bytes.size());
  return tensor.bytes.subspan(static_cast<size_t>(begin) * item, count * item);
}

}  // namespace

int64_t Tensor::size() const {
  const auto size = CheckedProduct(shape);
  assert(size.has_value());
  return *size;
}

void ReadFloats(const Tensor& tensor, int64_t begin, std::span<float> out) {
  assert(IsArithmetic(tensor.dtype));
  ToFloats(tensor.dtype, ElementBytes(tensor, begin, out.size()), out);
}

void ReadDoubles(const Tensor& tensor, int64_t begin, std::span<double> out) {
  assert(IsArithmetic(tensor.dtype));
  ToDoubles(tensor.dtype, ElementBytes(tensor, begin, out.size()), out);
}

std::span<const float> FloatsInPlace(const Tensor& tensor) {
  const auto address = reinterpret_cast<uintptr_t>(tensor.bytes.data());
  if (tensor.dtype != DType::kF32 || address % alignof(float) != 0) return {};
  return {reinterpret_cast<const float*>(tensor.bytes.data()),
          tensor.bytes.size() / sizeof(float)};
}

Tensor MakeTensor(std::string name, Shape shape, std::span<const float> values,
                  DType dtype) {
  assert(IsArithmetic(dtype));
  const size_t size = values.size() * static_cast<size_t>(DTypeBits(dtype)) / 8;
  const auto bytes = std::make_shared<std::vector<std::byte>>(size);
  if (const auto at = FromFloats(values, dtype, *bytes)) {
    throw Error(ErrorCode::kBadInput,
                "tensor " + Quoted(name) + ": element " + std::to_string(*at) +
                    " is " + std::to_string(values[static_cast<size_t>(*at)]) +
                    ", too large for " + std::string(DTypeName(dtype)));
  }
  Tensor tensor{.name = std::move(name),
                .dtype = dtype,
                .shape = std::move(shape),
                .bytes = *bytes,
                .owner = bytes};
  assert(tensor.size() == static_cast<int64_t>(values.size()));
  return tensor;
}

}  // namespace rebasin
