// Why the numbers of a tensor are no float32 numbers.

#ifndef REBASIN_TENSOR_NON_FINITE_H_
#define REBASIN_TENSOR_NON_FINITE_H_

#include <string>

#include "rebasin/tensor.h"

namespace rebasin {

// What keeps a tensor of arithmetic type from being computed with in float32:
// '2 values are NaN or infinite, the first at index 7', or '1 value exceeds
// float32, the first (1e+300) at index 7'. Empty if nothing does. Reads all.
std::string WhyNotFloat(const Tensor& tensor);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_NON_FINITE_H_
