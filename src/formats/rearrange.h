// Bytes of arrays brought into the order that tensors have: row-major and
// little-endian.

#ifndef REBASIN_FORMATS_REARRANGE_H_
#define REBASIN_FORMATS_REARRANGE_H_

#include <cstddef>
#include <span>

#include "rebasin/tensor.h"

namespace rebasin {

// Copies the elements of an array of this shape into `out` one after another,
// in row-major order. A step along axis k moves by strides[k] elements of
// `item` bytes in `in`; all of them must lie inside.
void CopyStrided(std::span<const std::byte> in, const Shape& shape,
                 const Shape& strides, size_t item, std::span<std::byte> out);

// The strides of an array that lies in row-major order.
Shape RowMajorStrides(const Shape& shape);

// Turns the bytes of every element round; complex numbers are two.
void SwapByteOrder(DType dtype, std::span<std::byte> bytes);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_REARRANGE_H_
