// Matching by costs that are known beforehand, such as those of activations:
// no group's costs depend on another's permutation.

#ifndef REBASIN_MATCH_ACTIVATIONS_GROUP_COSTS_H_
#define REBASIN_MATCH_ACTIVATIONS_GROUP_COSTS_H_

#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "match/costs/tree_costs.h"
#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/match.h"

namespace rebasin {

// The root groups that have costs, in their order.
std::vector<int> RootsOf(std::span<const CostPart> costs);

// (1 - share) * x + share * y; both of the same parts.
std::vector<CostPart> Blended(std::vector<CostPart> x,
                              std::span<const CostPart> y, double share);

// The alignment with the largest sum. Groups without costs stay as they are.
// Roots are independent and solved side by side.
Alignment SolveCosts(const std::shared_ptr<const Symmetry>& symmetry,
                     std::span<const CostPart> costs, ThreadPool& pool);

// Costs and weights together. Maximises
//
//   share * <A, pi(B)> / W  +  (1 - share) * costs of pi / C
//
// where W and C are the most that either sum could come to. `share` lies
// between 0 and 1, both excluded.
Alignment MatchMixed(const std::shared_ptr<const Symmetry>& symmetry,
                     std::span<const CostPart> costs, double share,
                     const Checkpoint& a, const Checkpoint& b,
                     const MatchOptions& options, const Run& run);

}  // namespace rebasin

#endif  // REBASIN_MATCH_ACTIVATIONS_GROUP_COSTS_H_
