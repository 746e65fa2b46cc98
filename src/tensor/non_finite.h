// Explains why the numbers of a tensor cannot be used as float32.

#ifndef REBASIN_TENSOR_NON_FINITE_H_
#define REBASIN_TENSOR_NON_FINITE_H_

#include <string>

#include "rebasin/tensor.h"

namespace rebasin {

// Returns why a tensor of arithmetic type cannot be computed with in float32:
// '2 values are NaN or infinite, the first at index 7', or '1 value exceeds
// float32, the first (1e+300) at index 7'. Empty if it can. Reads the whole
// tensor.
std::string WhyNotFloat(const Tensor& tensor);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_NON_FINITE_H_
