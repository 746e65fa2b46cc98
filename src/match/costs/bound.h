// What a term can contribute to a cost matrix at most, without computing its
// products.
//
// By Cauchy and Schwarz, entry (i, j) of a term's Gram matrix is at most
// |A_i| |B_j|. Where a tree's permutation is far ahead of all others, this
// proves that terms which were not looked at yet cannot change it, for a
// thousandth of the cost of their products.

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
  std::vector<double> norm_a, norm_b;  // of each unit's slice
  std::vector<double> chosen;          // entry (i, permutation[i]), exact
};

TermBound BoundTerm(const Term& term, int slot,
                    std::span<const Contraction> contractions,
                    std::span<const int32_t> permutation, ThreadPool& pool);

// Whether `permutation` stays a best assignment of `gram` (maximised) when
// matrices within `bounds` are added to it. Proved by the column duals given:
// true is certain, false only means that the proof failed.
bool StaysOptimal(std::span<const float> gram,
                  std::span<const int32_t> permutation,
                  std::span<const double> column_duals,
                  std::span<const TermBound> bounds, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_BOUND_H_
