// The phases of the auction: how fast its epsilon falls.

#ifndef REBASIN_ASSIGNMENT_SCHEDULE_H_
#define REBASIN_ASSIGNMENT_SCHEDULE_H_

#include "assignment/problem.h"
#include "assignment/survey.h"

namespace rebasin::assignment {

// The first and the last epsilon, in the units of the costs.
struct Schedule {
  double first;
  double last;
};

Schedule ChooseSchedule(const Survey& survey);

// For prices of a similar problem: epsilon starts near the change of the duals
// `rows`.
Schedule ChooseWarmSchedule(const Survey& survey, std::span<const double> rows,
                            std::span<const double> former_rows);

// Runs the auction from the matching and the prices in `duals`. Afterwards most
// rows are matched, and the duals hold the new prices and are not feasible.
// Each phase takes at most O(n^2) work.
void RunPhases(const Problem& problem, const Survey& survey,
               const Schedule& schedule, Duals* duals, Matching* matching);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_SCHEDULE_H_
