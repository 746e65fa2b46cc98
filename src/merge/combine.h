// Arithmetic on tensors: weighted sums, and the angle between two.

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
  // Let NaN and infinities through instead of throwing Error(kBadInput).
  bool allow_nonfinite = false;
};

// Elements [begin, begin + count) of the sum of weights[m] * inputs[m], stored
// as the inputs' type. Sums in double, so equal inputs give themselves. Throws
// Error(kBadInput) if a value is not finite or overflows the type.
void Combine(std::span<const PermutedTensor> inputs,
             std::span<const double> weights, int64_t begin, int64_t count,
             const CombineOptions& options, std::span<std::byte> out);

// The weights of spherical interpolation, `share` of the way from the first
// tensor to the second: along the great circle through both, taken as flat
// vectors. Falls back to (1 - share, share) where the circle is ill-defined:
// (anti)parallel vectors, or one of length zero.
std::vector<double> SlerpWeights(std::span<const PermutedTensor> inputs,
                                 double share, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MERGE_COMBINE_H_
