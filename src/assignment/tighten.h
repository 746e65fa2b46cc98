// Makes feasible duals from any prices, with as many matched pairs as possible.

#ifndef REBASIN_ASSIGNMENT_TIGHTEN_H_
#define REBASIN_ASSIGNMENT_TIGHTEN_H_

#include <span>

#include "assignment/problem.h"

namespace rebasin::assignment {

// Sets each row's dual to its smallest priced cost, and lowers each price as
// far as the rows then allow. Keeps matched pairs without slack, and matches
// free rows to free columns without slack. One pass over the matrix, and
// another one over rows with ties.
void Tighten(const Problem& problem, Duals* duals, Matching* matching);

// The same with the rows' smallest priced costs given.
void Tighten(const Problem& problem, std::span<const Minima<double>> minima,
             Duals* duals, Matching* matching);

// The results of one pass over the matrix: the rows' smallest priced costs, and
// by how much each column's price could fall with those as row duals.
struct Reduction {
  std::vector<Minima<double>> minima;
  std::vector<double> lowest;

  explicit Reduction(size_t n)
      : minima(n), lowest(PaddedSize(n), kInfinity<double>) {}

  // Adds one row.
  void AddRow(const Problem& problem, size_t row, const Duals& duals);
};

void Tighten(const Problem& problem, const Reduction& reduction, Duals* duals,
             Matching* matching);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_TIGHTEN_H_
