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
#include <string>
#include <utility>

#include "assignment/auction.h"
#include "assignment/certificate.h"
#include "assignment/finish.h"
#include "assignment/problem.h"
#include "assignment/survey.h"
#include "assignment/tighten.h"
#include "rebasin/error.h"

namespace rebasin {
namespace assignment {
namespace {

// Measured over Gram matrices, products, activations and uniform costs with n
// from 512 to 4096; the time changes little within a factor of two of each.
constexpr double kFirstEpsilon = 0.02;  // times the typical range of a row
constexpr double kFirstWarmEpsilon = 1e-4;
constexpr double kEpsilonRatio = 7;
constexpr double kLastEpsilon = 0.01;  // times the typical range / n
constexpr size_t kFewFreeRows = 10;    // 1 / 10 of the rows: paths are faster
constexpr int64_t kMaxBidsPerRow = 64;

// A power of two by which all costs come into [-1, 1]: prices then cannot
// overflow. Bounded, so that it is a normal float itself.
double ScaleFor(float largest) {
  int exponent = 0;
  if (largest > 0) std::frexp(largest, &exponent);
  return std::ldexp(1.0, -std::clamp(exponent, -126, 126));
}

bool HasFewFreeRows(const Matching& matching) {
  const auto& columns = matching.column_of_row;
  const auto free = std::count(columns.begin(), columns.end(), -1);
  return static_cast<size_t>(free) <= columns.size() / kFewFreeRows;
}

// One phase: from the prices to a matching within epsilon, and back to
// feasible duals with the matched pairs that are without slack.
void RunPhase(const Problem& problem, double epsilon, Duals* duals,
              Matching* matching) {
  const double scale = std::abs(problem.scale);
  auto prices = PaddedVector<float>(problem.n(), 0);
  for (size_t j = 0; j < problem.n(); ++j) {
    prices[j] = static_cast<float>(duals->prices[j] * scale);
  }
  RunAuction(problem, static_cast<float>(epsilon * scale),
             kMaxBidsPerRow * problem.matrix.n, &prices, matching);
  for (size_t j = 0; j < problem.n(); ++j) {
    duals->prices[j] = prices[j] / scale;
  }
  Tighten(problem, duals, matching);
}

// Duals that do not fit are ignored: they are a hint, no input. Prices far
// beyond the costs would swallow them, even in double.
bool IsUsable(const AssignmentDuals* duals, size_t n, float largest) {
  if (duals == nullptr || duals->columns.size() != n) return false;
  const double limit = 1024.0 * largest;
  return std::all_of(duals->columns.begin(), duals->columns.end(),
                     [&](double x) { return std::abs(x) <= limit; });
}

Assignment Solve(Problem problem, const AssignmentDuals* warm_start) {
  const size_t n = problem.n();
  const Survey survey = TakeSurvey(problem);
  if (auto result = SolveByRowMinima(problem, survey)) return *result;
  problem.scale = static_cast<float>(problem.sign * ScaleFor(survey.largest));
  Duals duals(n);
  Matching matching(n);
  const bool warm = IsUsable(warm_start, n, survey.largest);
  if (warm) {
    for (size_t j = 0; j < n; ++j) {
      duals.prices[j] = -problem.sign * warm_start->columns[j];
    }
  }
  Tighten(problem, &duals, &matching);
  const double range = survey.typical_range;
  double epsilon = range * (warm ? kFirstWarmEpsilon : kFirstEpsilon);
  const double last = range * kLastEpsilon / static_cast<double>(n);
  for (; epsilon > last && !HasFewFreeRows(matching);
       epsilon /= kEpsilonRatio) {
    RunPhase(problem, epsilon, &duals, &matching);
  }
  AugmentFreeRows(problem, &duals, &matching);
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
