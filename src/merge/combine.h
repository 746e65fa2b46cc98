// Weighted sums of tensors, and the angle between two tensors.

#ifndef REBASIN_MERGE_COMBINE_H_
#define REBASIN_MERGE_COMBINE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "permute/permuted_tensor.h"

namespace rebasin {

struct CombineOptions {
  // Copies NaN and infinities instead of throwing Error(kBadInput).
  bool allow_nonfinite = false;
};

// Computes elements [begin, begin + count) of the sum of weights[m] *
// inputs[m], stored as the inputs' type. Sums in double, so that the mean of
// equal inputs is exact. Throws Error(kBadInput) if a value is not finite or
// overflows the type.
void Combine(std::span<const PermutedTensor> inputs,
             std::span<const double> weights, int64_t begin, int64_t count,
             const CombineOptions& options, std::span<std::byte> out);

// Returns the weights of spherical interpolation at `share` between the first
// and the second tensor, taken as vectors. Returns (1 - share, share) if the
// great circle is not defined, for parallel vectors or vectors of length zero.
std::vector<double> SlerpWeights(std::span<const PermutedTensor> inputs,
                                 double share, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MERGE_COMBINE_H_
