#include "formats/rearrange.h"

#include <algorithm>
#include <cstring>

namespace rebasin {

void CopyStrided(std::span<const std::byte> in, const Shape& shape,
                 const Shape& strides, size_t item, std::span<std::byte> out) {
  Shape index(shape.size(), 0);
  int64_t from = 0;
  for (size_t to = 0; to < out.size(); to += item) {
    std::memcpy(out.data() + to, in.data() + static_cast<size_t>(from) * item,
                item);
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

Shape RowMajorStrides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * shape[axis];
  }
  return strides;
}

void SwapByteOrder(DType dtype, std::span<std::byte> bytes) {
  size_t item = static_cast<size_t>(DTypeBits(dtype)) / 8;
  if (dtype == DType::kC64) item /= 2;
  for (size_t at = 0; at < bytes.size(); at += item) {
    std::reverse(bytes.data() + at, bytes.data() + at + item);
  }
}

}  // namespace rebasin
