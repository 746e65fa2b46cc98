// Whether two tensors are the same, bit by bit, as alignments present them.

#ifndef REBASIN_PERMUTE_SAME_TENSOR_H_
#define REBASIN_PERMUTE_SAME_TENSOR_H_

#include "base/parallel.h"
#include "permute/permuted_tensor.h"

namespace rebasin {

// False if their types or shapes differ. Reads no further than about the first
// difference.
bool SameTensor(const PermutedTensor& a, const PermutedTensor& b,
                ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_PERMUTE_SAME_TENSOR_H_
