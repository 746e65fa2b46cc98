// The first look at a matrix: is it valid, how large are its numbers, and are
// we done already?

#ifndef REBASIN_ASSIGNMENT_SURVEY_H_
#define REBASIN_ASSIGNMENT_SURVEY_H_

#include <optional>

#include "assignment/problem.h"

namespace rebasin::assignment {

struct Survey {
  std::vector<float> row_minima;  // of sign * cost
  std::vector<int32_t> columns;   // where, the lowest if several tie
  float largest = 0;              // magnitude among all costs
  double typical_range = 0;       // median over the rows that are not constant
};

// Throws Error(kBadInput) at the first cost that is not finite.
Survey TakeSurvey(const Problem& problem);

// If the row minima lie in different columns, they are the optimum.
std::optional<Assignment> SolveByRowMinima(const Problem& problem,
                                           const Survey& survey);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_SURVEY_H_
