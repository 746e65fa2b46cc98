// Upper bounds for the contribution of a term to a cost matrix, without
// computing its products.
//
// By Cauchy and Schwarz, entry (i, j) of a term's Gram matrix is at most |A_i|
// |B_j|. If a tree's permutation is far better than all others, this proves
// that terms not yet included cannot change it, at a thousandth of the cost of
// their products.

#ifndef REBASIN_MATCH_COSTS_BOUND_H_
#define REBASIN_MATCH_COSTS_BOUND_H_

#include <cstdint>
#include <span>
#include <vector>

#include "assignment/assignment.h"
#include "base/parallel.h"
#include "match/costs/contraction.h"
#include "match/problem.h"

namespace rebasin {

struct TermBound {
  std::vector<double> norm_a, norm_b;  // norm of each unit's slice
  std::vector<double> chosen;          // entry (i, permutation[i]), exact
};

TermBound BoundTerm(const Term& term, int slot,
                    std::span<const Contraction> contractions,
                    std::span<const int32_t> permutation, ThreadPool& pool);

// Returns whether `permutation` is proved to remain a best assignment of `gram`
// (maximised) after adding matrices within `bounds`. The proof uses the given
// column duals; false only means that it failed.
bool StaysOptimal(std::span<const float> gram,
                  std::span<const int32_t> permutation,
                  std::span<const double> column_duals,
                  std::span<const TermBound> bounds, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_BOUND_H_
