// Sinkhorn re-basin (Pena et al., CVPR 2023), the variant without data, as a
// baseline. Every permutation is relaxed to the Sinkhorn image of a free
// matrix, and the free matrices are found by gradient ascent.

#ifndef REBASIN_MATCH_SOFT_SINKHORN_REBASIN_H_
#define REBASIN_MATCH_SOFT_SINKHORN_REBASIN_H_

#include <memory>

#include "rebasin/match.h"

namespace rebasin {

// Maximises the expected inner product of A with the softly permuted B, by one
// Adam step for each group in turn, and rounds the soft matrices to
// permutations. `options.max_passes` limits the number of steps. Throws what
// MatchWeights throws, and Error(kUnsupported) if groups are nested (attention
// heads, grouped convolutions).
MatchResult MatchSinkhorn(const Checkpoint& a, const Checkpoint& b,
                          const std::shared_ptr<const Symmetry>& symmetry,
                          const MatchOptions& options, const Run& run);

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_SINKHORN_REBASIN_H_
