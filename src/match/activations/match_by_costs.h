// Matches by costs of activations, wherever those were computed.

#ifndef REBASIN_MATCH_ACTIVATIONS_MATCH_BY_COSTS_H_
#define REBASIN_MATCH_ACTIVATIONS_MATCH_BY_COSTS_H_

#include <memory>
#include <span>

#include "base/parallel.h"
#include "match/costs/cost_part.h"
#include "rebasin/alignment.h"
#include "rebasin/match.h"

namespace rebasin {

// Returns the alignment with the largest costs. Groups without costs are then
// matched by weights, given the others. With a `weight_share` above 0, all
// groups are matched by both; see MatchMixed.
Alignment MatchByCosts(const std::shared_ptr<const Symmetry>& symmetry,
                       std::span<const CostPart> costs, double weight_share,
                       const Checkpoint& a, const Checkpoint& b,
                       const MatchOptions& options, const Run& run,
                       ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_ACTIVATIONS_MATCH_BY_COSTS_H_
