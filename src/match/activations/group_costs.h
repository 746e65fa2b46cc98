// Matching by given costs, such as those of activations, where the costs of a
// group do not depend on the permutations of others.

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

// The root groups that have costs, in order.
std::vector<int> RootsOf(std::span<const CostPart> costs);

// Returns (1 - share) * x + share * y; both must have the same parts.
std::vector<CostPart> Blended(std::vector<CostPart> x,
                              std::span<const CostPart> y, double share);

// Returns the alignment with the largest sum of costs. Groups without costs are
// not permuted. Roots are independent and solved in parallel.
Alignment SolveCosts(const std::shared_ptr<const Symmetry>& symmetry,
                     std::span<const CostPart> costs, ThreadPool& pool);

// Matches by costs and weights together. Maximises
//
//   share * <A, pi(B)> / W  +  (1 - share) * costs of pi / C
//
// where W and C are upper bounds of the two sums, and 0 < share < 1.
Alignment MatchMixed(const std::shared_ptr<const Symmetry>& symmetry,
                     std::span<const CostPart> costs, double share,
                     const Checkpoint& a, const Checkpoint& b,
                     const MatchOptions& options, const Run& run);

}  // namespace rebasin

#endif  // REBASIN_MATCH_ACTIVATIONS_GROUP_COSTS_H_
