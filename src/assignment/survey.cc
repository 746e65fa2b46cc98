#include "assignment/survey.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rebasin/error.h"

namespace rebasin::assignment {
namespace {

[[noreturn]] void ThrowNotFinite(const CostMatrix& matrix, size_t row) {
  const auto costs = matrix.row(static_cast<int64_t>(row));
  const auto bad = std::find_if_not(costs.begin(), costs.end(),
                                    [](float x) { return std::isfinite(x); });
  throw Error(ErrorCode::kBadInput,
              "assignment: cost at row " + std::to_string(row) + ", column " +
                  std::to_string(bad - costs.begin()) + " is " +
                  std::to_string(*bad) + ", expected a finite number");
}

}  // namespace

Range CheckedRange(const Problem& problem, size_t row) {
  const Range range = FindRange(problem.Row(row), problem.n());
  if (!range.finite) ThrowNotFinite(problem.matrix, row);
  return range;
}

Survey TakeSurvey(const Problem& problem) {
  const size_t n = problem.n();
  const auto free_of_charge = PaddedVector<float>(n, 0);
  const auto sign = static_cast<float>(problem.sign);
  Survey survey;
  for (size_t i = 0; i < n; ++i) {
    const Range range = CheckedRange(problem, i);
    survey.largest = std::max(survey.largest, range.Largest());
    survey.ranges.push_back(static_cast<double>(range.high) - range.low);
    const auto minima =
        TwoMinima(problem.Row(i), sign, free_of_charge.data(), n);
    survey.minima.push_back({minima.best, minima.second, minima.column});
  }
  return survey;
}

std::optional<Assignment> SolveByRowMinima(
    const Problem& problem, std::span<const Minima<double>> minima,
    std::span<const double> prices) {
  std::vector<bool> taken(problem.n());
  for (const auto& row : minima) {
    if (taken[static_cast<size_t>(row.column)]) return std::nullopt;
    taken[static_cast<size_t>(row.column)] = true;
  }
  Assignment result;
  for (size_t i = 0; i < problem.n(); ++i) {
    result.column_of_row.push_back(minima[i].column);
    result.duals.rows.push_back(problem.sign * minima[i].best);
    result.value += problem.Row(i)[minima[i].column];
    result.duals.columns.push_back(-problem.sign * prices[i]);
  }
  return result;
}

}  // namespace rebasin::assignment
