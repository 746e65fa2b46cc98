// Checks that apply to the tensors of every reader.

#ifndef REBASIN_FUZZ_TENSORS_H_
#define REBASIN_FUZZ_TENSORS_H_

#include <vector>

#include "rebasin/tensor.h"

namespace rebasin {

// Aborts unless each tensor has the bytes that its shape needs, and all can be
// written to a safetensors header and read back.
void CheckTensors(const std::vector<Tensor>& tensors);

}  // namespace rebasin

#endif  // REBASIN_FUZZ_TENSORS_H_
