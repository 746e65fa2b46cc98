// What constant folding made of a weight.

#ifndef REBASIN_ONNX_FOLDING_H_
#define REBASIN_ONNX_FOLDING_H_

#include "rebasin/tensor.h"

namespace rebasin {

enum class Folding {
  kNone,       // something else, or another weight
  kSame,       // only the name was lost
  kReshape,    // axes of size 1 came or went
  kTranspose,  // of a matrix
};

// How `folded` may have come from `original`, bit by bit.
Folding FindFolding(const Tensor& original, const Tensor& folded);

}  // namespace rebasin

#endif  // REBASIN_ONNX_FOLDING_H_
