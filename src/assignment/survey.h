// The first look at a matrix: is it valid, how large are its numbers, and are
// we done already?

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

// If the rows' smallest priced costs, `minima`, lie in different columns, they
// are the optimum.
std::optional<Assignment> SolveByRowMinima(
    const Problem& problem, std::span<const Minima<double>> minima,
    std::span<const double> prices);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_SURVEY_H_
