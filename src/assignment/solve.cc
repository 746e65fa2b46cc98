// The stages of the solver, each of which can finish the work:
//
// 1. The row minima, if they lie in different columns.
// 2. The pairs without slack after one reduction of rows and columns. Ties and
//    planted problems end here or nearly so.
// 3. An auction in float32 with falling epsilon. Costs of real networks are
//    close to low-rank; on those a search for shortest paths from the start
//    visits almost every row for every path, but after an auction almost none.
// 4. Shortest paths in double for the rows that are left, exact.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "assignment/certificate.h"
#include "assignment/finish.h"
#include "assignment/problem.h"
#include "assignment/schedule.h"
#include "assignment/survey.h"
#include "assignment/tighten.h"
#include "rebasin/error.h"

namespace rebasin {
namespace assignment {
namespace {

constexpr size_t kFewFreeRows = 5;   // one in five
constexpr int64_t kVisitsOfTry = 4;  // times n
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// A power of two by which all costs come into [-1, 1]: prices then cannot
// overflow. Bounded, so that it is a normal float itself.
double ScaleFor(float largest) {
  int exponent = 0;
  if (largest > 0) std::frexp(largest, &exponent);
  return std::ldexp(1.0, -std::clamp(exponent, -126, 126));
}

// Duals that do not fit are ignored: they are a hint, no input. Prices far
// beyond the costs would swallow them, even in double.
bool IsUsable(const AssignmentDuals* duals, size_t n, float largest) {
  if (duals == nullptr || duals->columns.size() != n) return false;
  const double limit = 1024.0 * largest;
  return std::all_of(duals->columns.begin(), duals->columns.end(),
                     [&](double x) { return std::abs(x) <= limit; });
}

// First feasible duals and matching; returns how to go on from there.
Schedule Start(const Problem& problem, const Survey& survey,
               const AssignmentDuals* warm_start, Duals* duals,
               Matching* matching) {
  if (!IsUsable(warm_start, problem.n(), survey.largest)) {
    Tighten(problem, survey.minima, duals, matching);
    return ChooseSchedule(survey);
  }
  for (size_t j = 0; j < problem.n(); ++j) {
    duals->prices[j] = -problem.sign * warm_start->columns[j];
  }
  Tighten(problem, duals, matching);
  std::vector<double> former_rows;
  for (const double dual : warm_start->rows) {
    former_rows.push_back(problem.sign * dual);
  }
  former_rows.resize(problem.n());
  return ChooseWarmSchedule(survey, *duals, former_rows);
}

Assignment Solve(Problem problem, const AssignmentDuals* warm_start) {
  const Survey survey = TakeSurvey(problem);
  if (auto result = SolveByRowMinima(problem, survey)) return *result;
  problem.scale = static_cast<float>(problem.sign * ScaleFor(survey.largest));
  Duals duals(problem.n());
  Matching matching(problem.n());
  const Schedule schedule =
      Start(problem, survey, warm_start, &duals, &matching);
  // A bounded try without an auction: if few rows are free, paths are likely to
  // be short. If not, it costs about as much as the auction will.
  if (matching.CountFree() <= problem.n() / kFewFreeRows) {
    AugmentFreeRows(problem, kVisitsOfTry * problem.matrix.n, &duals,
                    &matching);
  }
  if (matching.CountFree() > 0) {
    RunPhases(problem, survey, schedule, &duals, &matching);
    Tighten(problem, &duals, &matching);
    AugmentFreeRows(problem, kNoLimit, &duals, &matching);
  }
  return Certify(problem, matching, std::move(duals.prices));
}

void CheckShape(const CostMatrix& cost) {
  if (cost.n >= 0 && cost.n < (int64_t{1} << 24) && cost.stride >= cost.n) {
    return;
  }
  throw Error(ErrorCode::kUsage,
              "assignment: n = " + std::to_string(cost.n) + " with stride " +
                  std::to_string(cost.stride) +
                  ", expected 0 <= n < 2^24 and stride >= n");
}

}  // namespace
}  // namespace assignment

Assignment SolveAssignment(const CostMatrix& cost,
                           const AssignmentOptions& options) {
  assignment::CheckShape(cost);
  if (cost.n == 0) return {};
  return assignment::Solve(
      {.matrix = cost, .sign = options.maximize ? -1.0 : 1.0, .scale = 1},
      options.warm_start);
}

}  // namespace rebasin
