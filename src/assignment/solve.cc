// The stages of the solver, each of which may solve the problem:
//
// 1. The row minima, if they are in different columns.
// 2. The pairs without slack after one reduction of rows and columns. Problems
//    with ties and planted problems end here or nearly so. Small problems
//    continue with 4.
// 3. An auction in float32 with falling epsilon. Costs of real networks have
//    almost low rank: without an auction, the search for each shortest path
//    visits almost every row, and after an auction almost none.
// 4. Shortest paths in double for the remaining rows; exact.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
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

// When to try without an auction: if at most one in `one_in` rows is free, and
// then with at most `visits` * n visits. With prices of a similar problem, free
// rows are close to a column, so more of them are worth a try.
struct Try {
  size_t one_in;   // rows
  int64_t visits;  // times n
};
constexpr Try kColdTry = {.one_in = 5, .visits = 4};
constexpr Try kWarmTry = {.one_in = 2, .visits = 8};
constexpr size_t kOneInFew = 64;
// Up to this size, setting up an auction costs more than all paths together.
constexpr size_t kSmall = 32;
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// Returns a power of two that scales all costs into [-1, 1], so that prices
// cannot overflow. Bounded, so that it is a normal float itself.
double ScaleFor(float largest) {
  int exponent = 0;
  if (largest > 0) std::frexp(largest, &exponent);
  return std::ldexp(1.0, -std::clamp(exponent, -126, 126));
}

// Duals of a wrong size are ignored, because they are only a hint. Prices of
// zero carry no information, and the first pass is faster without them.
bool IsHint(const AssignmentDuals* duals, size_t n) {
  if (duals == nullptr || duals->columns.size() != n) return false;
  const auto& prices = duals->columns;
  return std::all_of(prices.begin(), prices.end(),
                     [](double x) { return std::isfinite(x); }) &&
         std::any_of(prices.begin(), prices.end(),
                     [](double x) { return x != 0; });
}

// Prices far larger than the costs would absorb them, even in double.
bool FitCosts(const AssignmentDuals& duals, float largest) {
  const double limit = 1024.0 * largest;
  return std::all_of(duals.columns.begin(), duals.columns.end(),
                     [&](double x) { return std::abs(x) <= limit; });
}

// True for small problems without ties. An auction would find the lowest
// columns of ties.
bool NeedsNoAuction(std::span<const Minima<double>> minima) {
  return minima.size() <= kSmall &&
         std::none_of(minima.begin(), minima.end(),
                      [](const auto& row) { return row.best == row.second; });
}

// Completes the solution from feasible duals. `plan` returns the survey and the
// schedule of an auction if one is needed.
template <typename Plan>
Assignment Complete(Problem problem, const Try& first, bool paths_only,
                    const Plan& plan, Duals duals, Matching matching) {
  // A limited try without an auction: if few rows are free, paths are likely to
  // be short. If they are not, the try costs about as much as the auction will.
  if (matching.CountFree() <= problem.n() / first.one_in) {
    AugmentFreeRows(problem, first.visits * problem.matrix.n, &duals,
                    &matching);
  }
  // For a few remaining rows an auction is not worthwhile.
  if (paths_only || matching.CountFree() * kOneInFew <= problem.n()) {
    AugmentFreeRows(problem, kNoLimit, &duals, &matching);
  }
  if (matching.CountFree() > 0) {
    const std::pair<Survey, Schedule> planned = plan();
    const auto& [survey, schedule] = planned;
    problem.scale = static_cast<float>(problem.sign * ScaleFor(survey.largest));
    RunPhases(problem, survey, schedule, &duals, &matching);
    Tighten(problem, &duals, &matching);
    AugmentFreeRows(problem, kNoLimit, &duals, &matching);
  }
  return Certify(problem, matching, std::move(duals.prices));
}

Assignment SolveCold(const Problem& problem) {
  Survey survey = TakeSurvey(problem);
  Duals duals(problem.n());
  if (auto result = SolveByRowMinima(problem, survey.minima, duals.prices)) {
    return *result;
  }
  const bool paths_only = NeedsNoAuction(survey.minima);
  Matching matching(problem.n());
  Tighten(problem, survey.minima, &duals, &matching);
  const auto plan = [&] {
    const Schedule schedule = ChooseSchedule(survey);
    return std::pair(std::move(survey), schedule);
  };
  return Complete(problem, kColdTry, paths_only, plan, std::move(duals),
                  std::move(matching));
}

// The survey is made only if an auction needs it; the first pass uses the
// prices of the hint. Returns nothing if they are useless.
std::optional<Assignment> SolveWarm(const Problem& problem,
                                    const AssignmentDuals& hint) {
  const size_t n = problem.n();
  Duals duals(n);
  for (size_t j = 0; j < n; ++j) {
    duals.prices[j] = -problem.sign * hint.columns[j];
  }
  Reduction reduction(n);
  float largest = 0;
  for (size_t i = 0; i < n; ++i) {
    largest = std::max(largest, CheckedRange(problem, i).Largest());
    reduction.AddRow(problem, i, duals);
  }
  if (!FitCosts(hint, largest)) return std::nullopt;
  if (auto result = SolveByRowMinima(problem, reduction.minima, duals.prices)) {
    return result;
  }
  Matching matching(n);
  Tighten(problem, reduction, &duals, &matching);
  const auto plan = [&, rows = duals.rows] {
    Survey survey = TakeSurvey(problem);
    std::vector<double> former_rows;
    for (const double dual : hint.rows) {
      former_rows.push_back(problem.sign * dual);
    }
    former_rows.resize(n);
    const Schedule schedule = ChooseWarmSchedule(survey, rows, former_rows);
    return std::pair(std::move(survey), schedule);
  };
  return Complete(problem, kWarmTry, NeedsNoAuction(reduction.minima), plan,
                  std::move(duals), std::move(matching));
}

Assignment Solve(const Problem& problem, const AssignmentDuals* warm_start) {
  if (IsHint(warm_start, problem.n())) {
    if (auto result = SolveWarm(problem, *warm_start)) return *result;
  }
  return SolveCold(problem);
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
