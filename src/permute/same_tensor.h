// Compares two permuted tensors bit by bit.

#ifndef REBASIN_PERMUTE_SAME_TENSOR_H_
#define REBASIN_PERMUTE_SAME_TENSOR_H_

#include "base/parallel.h"
#include "permute/permuted_tensor.h"

namespace rebasin {

// False if types or shapes differ. Stops reading soon after the first
// difference.
bool SameTensor(const PermutedTensor& a, const PermutedTensor& b,
                ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_PERMUTE_SAME_TENSOR_H_
