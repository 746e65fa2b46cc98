// Rearranges arrays to the order of tensors: row-major and little-endian.

#ifndef REBASIN_FORMATS_REARRANGE_H_
#define REBASIN_FORMATS_REARRANGE_H_

#include <cstddef>
#include <span>

#include "rebasin/tensor.h"

namespace rebasin {

// Copies the elements of an array of this shape to `out` in row-major order. A
// step along axis k is strides[k] elements of `item` bytes in `in`. All
// elements must be inside `in`.
void CopyStrided(std::span<const std::byte> in, const Shape& shape,
                 const Shape& strides, size_t item, std::span<std::byte> out);

// The strides of a row-major array.
Shape RowMajorStrides(const Shape& shape);

// Reverses the bytes of every element; complex numbers are two elements.
void SwapByteOrder(DType dtype, std::span<std::byte> bytes);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_REARRANGE_H_
