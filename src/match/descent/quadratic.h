// Groups on two axes of one tensor (a recurrent weight, x + Wx), whose
// objective is quadratic in the permutation. It is maximised over doubly
// stochastic matrices by Frank-Wolfe with exact line search, and then projected
// to a permutation.

#ifndef REBASIN_MATCH_DESCENT_QUADRATIC_H_
#define REBASIN_MATCH_DESCENT_QUADRATIC_H_

#include "base/parallel.h"
#include "match/costs/tree_costs.h"
#include "match/problem.h"
#include "rebasin/alignment.h"

namespace rebasin {

// Returns improved permutations for a tree with quadratic terms, starting from
// `alignment`; other trees keep theirs. A tree with inner groups is improved by
// its linear terms only.
Alignment ProposeQuadratic(const Problem& problem, const TreeCosts& costs,
                           const Alignment& alignment, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_DESCENT_QUADRATIC_H_
