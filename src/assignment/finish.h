// The exact last stage of the solver: shortest augmenting paths in double.

#ifndef REBASIN_ASSIGNMENT_FINISH_H_
#define REBASIN_ASSIGNMENT_FINISH_H_

#include "assignment/problem.h"

namespace rebasin::assignment {

// Matches free rows along shortest paths of reduced costs (Dijkstra). Requires
// feasible duals and matched pairs without slack, and keeps both. Visiting a
// row costs O(n), so a path costs at most O(n^2). Stops with some rows still
// free after `max_visits` visits, or if the first paths indicate that it would
// exceed them.
void AugmentFreeRows(const Problem& problem, int64_t max_visits, Duals* duals,
                     Matching* matching);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_FINISH_H_
