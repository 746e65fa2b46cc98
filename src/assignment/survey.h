// The first pass over a matrix: checks it, measures its numbers, and solves
// trivial problems.

#ifndef REBASIN_ASSIGNMENT_SURVEY_H_
#define REBASIN_ASSIGNMENT_SURVEY_H_

#include <optional>
#include <span>

#include "assignment/problem.h"

namespace rebasin::assignment {

struct Survey {
  std::vector<Minima<double>> minima;  // of sign * cost in each row
  std::vector<double> ranges;          // highest less lowest cost of each row
  float largest = 0;                   // magnitude among all costs
};

// Throws Error(kBadInput) at the first cost that is not finite.
Survey TakeSurvey(const Problem& problem);
// The range of one row; throws in the same way.
Range CheckedRange(const Problem& problem, size_t row);

// Returns the optimum if the smallest priced costs of the rows, `minima`, are
// in different columns.
std::optional<Assignment> SolveByRowMinima(
    const Problem& problem, std::span<const Minima<double>> minima,
    std::span<const double> prices);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_SURVEY_H_
