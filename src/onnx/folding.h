// Recognises what constant folding did to a weight.

#ifndef REBASIN_ONNX_FOLDING_H_
#define REBASIN_ONNX_FOLDING_H_

#include "rebasin/tensor.h"

namespace rebasin {

enum class Folding {
  kNone,       // another operation, or another weight
  kSame,       // only the name was lost
  kReshape,    // axes of size 1 were added or removed
  kTranspose,  // of a matrix
};

// How `folded` may have been computed from `original`. Compares all bits.
Folding FindFolding(const Tensor& original, const Tensor& folded);

}  // namespace rebasin

#endif  // REBASIN_ONNX_FOLDING_H_
