// From any prices to feasible duals, with as many matched pairs as they allow.

#ifndef REBASIN_ASSIGNMENT_TIGHTEN_H_
#define REBASIN_ASSIGNMENT_TIGHTEN_H_

#include <span>

#include "assignment/problem.h"

namespace rebasin::assignment {

// Sets each row's dual to its smallest priced cost and lowers each price as far
// as the rows then allow. Of the matched pairs, keeps those without slack, and
// adds free rows to free columns where there is none either. One pass over the
// matrix, and one more over rows with ties.
void Tighten(const Problem& problem, Duals* duals, Matching* matching);

// The same if the rows' smallest priced costs are known already.
void Tighten(const Problem& problem, std::span<const Minima<double>> minima,
             Duals* duals, Matching* matching);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_TIGHTEN_H_
