// Adds the change of a second model since the base to the first model.

#ifndef REBASIN_MERGE_COMBINE_CHANGES_H_
#define REBASIN_MERGE_COMBINE_CHANGES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "permute/permuted_tensor.h"

namespace rebasin {

// One tensor of three models. The base may be of another arithmetic type.
struct ThreeTensors {
  const PermutedTensor& ours;
  const PermutedTensor& theirs;
  const PermutedTensor& base;
};

struct ChangesOptions {
  // Copies NaN and infinities instead of throwing Error(kBadInput).
  bool allow_nonfinite = false;
  // The elements are variances: no result is smaller than both models' values.
  bool variance = false;
};

// Computes elements [begin, begin + count) of ours + (theirs - base) in double,
// stored as the type of `ours`. An element that one model did not change is
// copied from the other. Throws Error(kBadInput) if a value is not finite or
// overflows the type.
void CombineChanges(const ThreeTensors& inputs, int64_t begin, int64_t count,
                    const ChangesOptions& options, std::span<std::byte> out);

}  // namespace rebasin

#endif  // REBASIN_MERGE_COMBINE_CHANGES_H_
