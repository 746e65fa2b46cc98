// Tensors that a formula gives, and no training: sines and cosines, triangular
// masks, positions, frequencies.

#ifndef REBASIN_ONNX_TABLES_H_
#define REBASIN_ONNX_TABLES_H_

#include "rebasin/tensor.h"

namespace rebasin {

// Whether the numbers of the tensor, apart from axes of size 1, are
//
// - sin(p w) or cos(p w) for the positions p = 0, 1, ... (8 and more) along one
//   of two axes, with a w for each index of the other;
// - two numbers, one below and one above the diagonal of the last two axes, of
//   equal sizes of 3 and more;
// - 0, 1, 2, ... (4 and more), or a geometric sequence of 4 and more numbers.
//
// Requires IsArithmetic(tensor.dtype). Reads a few numbers of most others.
bool FollowsFormula(const Tensor& tensor);

// Masks and the like: at most two different numbers, or some that no training
// ends with.
bool HoldsFewNumbers(const Tensor& tensor);

}  // namespace rebasin

#endif  // REBASIN_ONNX_TABLES_H_
