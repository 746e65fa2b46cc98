// The exact end of the solver: shortest augmenting paths in double.

#ifndef REBASIN_ASSIGNMENT_FINISH_H_
#define REBASIN_ASSIGNMENT_FINISH_H_

#include "assignment/problem.h"

namespace rebasin::assignment {

// Matches free rows along shortest paths of reduced costs (Dijkstra), keeping
// the duals feasible and the matched pairs without slack. Requires both of the
// input. A path costs O(n) for each row that it visits, so O(n^2) at worst.
// Gives up, with some rows still free, once it has visited more than
// `max_visits`, or the first paths foretell that it will.
void AugmentFreeRows(const Problem& problem, int64_t max_visits, Duals* duals,
                     Matching* matching);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_FINISH_H_
