// The exact end of the solver: shortest augmenting paths in double.

#ifndef REBASIN_ASSIGNMENT_FINISH_H_
#define REBASIN_ASSIGNMENT_FINISH_H_

#include "assignment/problem.h"

namespace rebasin::assignment {

// Matches every free row along a shortest path of reduced costs (Dijkstra),
// keeping the duals feasible and the matched pairs without slack. Requires both
// of the input. O(n^2) a free row at worst; O(n) times the rows on shorter
// paths in fact. Returns the number of rows visited.
int64_t AugmentFreeRows(const Problem& problem, Duals* duals,
                        Matching* matching);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_FINISH_H_
