// Finds the best permutations of one group tree for given costs.
//
// A group without inner groups is one linear assignment. A tree is solved from
// the leaves up: for every pair of outer units (one of A, one of B) the inner
// groups are matched, and the resulting value is the cost of pairing the outer
// units. This is exact unless a tensor has two sibling groups. Such siblings
// (queries in grouped-query attention, inputs and outputs of a grouped
// convolution) are improved in turn until nothing changes.

#ifndef REBASIN_MATCH_DESCENT_TREE_SOLVER_H_
#define REBASIN_MATCH_DESCENT_TREE_SOLVER_H_

#include <span>

#include "assignment/assignment.h"
#include "base/parallel.h"
#include "match/costs/tree_costs.h"
#include "rebasin/alignment.h"

namespace rebasin {

// Writes the permutations of the tree under `root` into `alignment`. `duals`
// warm-starts the root's assignment and receives its duals.
void SolveTree(int root, std::span<const CostPart> parts, ThreadPool& pool,
               Alignment& alignment, AssignmentDuals& duals);

}  // namespace rebasin

#endif  // REBASIN_MATCH_DESCENT_TREE_SOLVER_H_
