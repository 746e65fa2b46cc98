// What activations say and what weights say, in one matching problem.

#ifndef REBASIN_MATCH_MIXED_COSTS_H_
#define REBASIN_MATCH_MIXED_COSTS_H_

#include "match/activation_costs.h"
#include "rebasin/checkpoint.h"
#include "rebasin/match.h"

namespace rebasin {

// Maximises
//
//   share * <A, pi(B)> / W  +  (1 - share) * activation costs of pi / C
//
// where W and C are the most that either sum could come to. `share` lies
// between 0 and 1, both excluded.
Alignment MatchMixed(const ActivationCosts& costs, ActivationCost kind,
                     double share, const Checkpoint& a, const Checkpoint& b,
                     const MatchOptions& options);

}  // namespace rebasin

#endif  // REBASIN_MATCH_MIXED_COSTS_H_
