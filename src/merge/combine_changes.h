// Arithmetic on differences: what a second model has changed since the base,
// added to the first.

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
  // Let NaN and infinities through instead of throwing Error(kBadInput).
  bool allow_nonfinite = false;
  // The elements are variances: no result is smaller than both ours and theirs.
  bool variance = false;
};

// Elements [begin, begin + count) of ours + (theirs - base), stored as ours'
// type. Computed in double; an element that one model has not changed is the
// other's exactly. Throws Error(kBadInput) if a value is not finite or
// overflows the type.
void CombineChanges(const ThreeTensors& inputs, int64_t begin, int64_t count,
                    const ChangesOptions& options, std::span<std::byte> out);

}  // namespace rebasin

#endif  // REBASIN_MERGE_COMBINE_CHANGES_H_
