// Recognises tensors that are computed by a formula and not trained: sines and
// cosines, triangular masks, positions, frequencies.

#ifndef REBASIN_ONNX_TABLES_H_
#define REBASIN_ONNX_TABLES_H_

#include "rebasin/tensor.h"

namespace rebasin {

// Whether the numbers of the tensor, ignoring axes of size 1, are
//
// - sin(p w) or cos(p w) for the positions p = 0, 1, ... (8 or more) along one
//   of two axes, with one w for each index of the other axis;
// - two numbers, one below and one above the diagonal of the last two axes,
//   which have equal sizes of at least 3;
// - 0, 1, 2, ... (4 or more), or a geometric sequence of at least 4 numbers.
//
// Requires IsArithmetic(tensor.dtype). Reads only a few numbers of most other
// tensors.
bool FollowsFormula(const Tensor& tensor);

// Whether the tensor has at most two different numbers, like a mask, or numbers
// that training cannot produce.
bool HoldsFewNumbers(const Tensor& tensor);

}  // namespace rebasin

#endif  // REBASIN_ONNX_TABLES_H_
