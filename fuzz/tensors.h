// What holds for tensors of any reader.

#ifndef REBASIN_FUZZ_TENSORS_H_
#define REBASIN_FUZZ_TENSORS_H_

#include <vector>

#include "rebasin/tensor.h"

namespace rebasin {

// Aborts unless each tensor has the bytes that its shape takes, and all survive
// being described in a safetensors header and read again.
void CheckTensors(const std::vector<Tensor>& tensors);

}  // namespace rebasin

#endif  // REBASIN_FUZZ_TENSORS_H_
