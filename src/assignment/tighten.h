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

// What one pass over the matrix finds out: the rows' smallest priced costs, and
// how far each column's price could fall if those were the rows' duals.
struct Reduction {
  std::vector<Minima<double>> minima;
  std::vector<double> lowest;

  explicit Reduction(size_t n)
      : minima(n), lowest(PaddedSize(n), kInfinity<double>) {}

  // The part of one row.
  void AddRow(const Problem& problem, size_t row, const Duals& duals);
};

void Tighten(const Problem& problem, const Reduction& reduction, Duals* duals,
             Matching* matching);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_TIGHTEN_H_
