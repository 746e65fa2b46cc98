// The common case of merging, in one pass over memory: two models in F32.

#ifndef REBASIN_MERGE_COMBINE_TWO_H_
#define REBASIN_MERGE_COMBINE_TWO_H_

#include <array>
#include <cstddef>
#include <span>

namespace rebasin {

// out = weights[0] * a + weights[1] * b, summed in double, for F32 elements.
// Returns false, with `out` half done, where something needs a closer look: a
// result that is not finite, or bytes that are not aligned.
bool CombineTwo(std::span<const std::byte> a, std::span<const std::byte> b,
                std::array<double, 2> weights, std::span<std::byte> out);

}  // namespace rebasin

#endif  // REBASIN_MERGE_COMBINE_TWO_H_
