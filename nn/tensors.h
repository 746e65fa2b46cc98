// Converts between this library's tensors and LibTorch's. Files are read only
// by our own readers.

#ifndef REBASIN_NN_TENSORS_H_
#define REBASIN_NN_TENSORS_H_

#include <ATen/core/Tensor.h>

#include "rebasin/graph.h"
#include "rebasin/tensor.h"

namespace rebasin::nn {

// The element type of a kind: integers are int64.
at::ScalarType ScalarTypeOf(Kind kind, at::ScalarType float_type);

// Copies an array. kFloat becomes `float_type`.
at::Tensor FromArray(const Array& array, at::ScalarType float_type);
Array ToArray(const at::Tensor& tensor, Kind kind);

// Copies the numbers to `out`, a contiguous float32 or float64 tensor on the
// CPU with the same number of elements. Requires IsArithmetic(tensor.dtype).
void CopyNumbers(const Tensor& tensor, at::Tensor out);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_TENSORS_H_
