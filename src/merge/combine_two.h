// The most common merge in one pass over memory: two models in F32.

#ifndef REBASIN_MERGE_COMBINE_TWO_H_
#define REBASIN_MERGE_COMBINE_TWO_H_

#include <array>
#include <cstddef>
#include <span>

namespace rebasin {

// out = weights[0] * a + weights[1] * b for F32 elements, summed in double.
// Returns false, with `out` partly written, if a result is not finite or the
// bytes are not aligned; the caller then uses the general function.
bool CombineTwo(std::span<const std::byte> a, std::span<const std::byte> b,
                std::array<double, 2> weights, std::span<std::byte> out);

}  // namespace rebasin

#endif  // REBASIN_MERGE_COMBINE_TWO_H_
