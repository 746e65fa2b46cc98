#include "formats/npy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace rebasin {
namespace {

// Complex numbers are two numbers, each with its own byte order.
size_t SwappedBytes(DType dtype) {
  const size_t size = static_cast<size_t>(DTypeBits(dtype)) / 8;
  return dtype == DType::kC64 ? size / 2 : size;
}

void ReverseBytes(std::span<std::byte> bytes, size_t item) {
  for (size_t at = 0; at < bytes.size(); at += item) {
    std::reverse(bytes.data() + at, bytes.data() + at + item);
  }
}

// Walks the array in the order of `out`, row-major, and keeps the place of the
// element in `in`, column-major: axis k moves it by the product of the sizes
// before k.
void Transpose(std::span<const std::byte> in, const Shape& shape, size_t item,
               std::span<std::byte> out) {
  std::vector<size_t> strides(shape.size());
  size_t stride = item;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= static_cast<size_t>(shape[axis]);
  }
  Shape index(shape.size(), 0);
  size_t from = 0;
  for (size_t to = 0; to < out.size(); to += item) {
    std::memcpy(out.data() + to, in.data() + from, item);
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * static_cast<size_t>(shape[axis]);
      index[axis] = 0;
    }
  }
}

}  // namespace

Tensor ReadNpy(std::span<const std::byte> file,
               std::shared_ptr<const void> owner, std::string name,
               const std::string& source) {
  NpyHeader header = ReadNpyHeader(file, source);
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.dtype = header.dtype;
  tensor.bytes = file.subspan(header.data_begin);
  tensor.owner = std::move(owner);
  const bool transposed = header.fortran_order && header.shape.size() > 1;
  if ((transposed || header.big_endian) && !tensor.bytes.empty()) {
    auto buffer = std::make_shared<std::vector<std::byte>>(tensor.bytes.begin(),
                                                           tensor.bytes.end());
    if (transposed) {
      const size_t item = static_cast<size_t>(DTypeBits(header.dtype)) / 8;
      Transpose(tensor.bytes, header.shape, item, *buffer);
    }
    if (header.big_endian) ReverseBytes(*buffer, SwappedBytes(header.dtype));
    tensor.bytes = *buffer;
    tensor.owner = std::move(buffer);
  }
  tensor.shape = std::move(header.shape);
  return tensor;
}

}  // namespace rebasin
