// Activations that wait, in half the memory.

#ifndef REBASIN_NN_PACKED_H_
#define REBASIN_NN_PACKED_H_

#include <ATen/core/Tensor.h>

namespace rebasin::nn {

// In half precision, if it is float32 and all numbers fit. Relative errors are
// 5e-4, far below the noise of a fit.
at::Tensor Packed(const at::Tensor& value);

// `type` is the type that the value had.
at::Tensor Unpacked(const at::Tensor& value, at::ScalarType type);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_PACKED_H_
