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

Survey TakeSurvey(const Problem& problem) {
  const size_t n = problem.n();
  const auto free_of_charge = PaddedVector<float>(n, 0);
  const auto sign = static_cast<float>(problem.sign);
  Survey survey;
  for (size_t i = 0; i < n; ++i) {
    const Range range = FindRange(problem.Row(i), n);
    if (!range.finite) ThrowNotFinite(problem.matrix, i);
    survey.largest =
        std::max({survey.largest, std::abs(range.low), std::abs(range.high)});
    survey.ranges.push_back(static_cast<double>(range.high) - range.low);
    const auto minima =
        TwoMinima(problem.Row(i), sign, free_of_charge.data(), n);
    survey.minima.push_back({minima.best, minima.second, minima.column});
  }
  return survey;
}

std::optional<Assignment> SolveByRowMinima(const Problem& problem,
                                           const Survey& survey) {
  std::vector<bool> taken(problem.n());
  for (const auto& minima : survey.minima) {
    if (taken[static_cast<size_t>(minima.column)]) return std::nullopt;
    taken[static_cast<size_t>(minima.column)] = true;
  }
  Assignment result;
  result.duals.columns.resize(problem.n());
  for (const auto& minima : survey.minima) {
    const double cost = problem.sign * minima.best;
    result.column_of_row.push_back(minima.column);
    result.duals.rows.push_back(cost);
    result.value += cost;
  }
  return result;
}

}  // namespace rebasin::assignment
