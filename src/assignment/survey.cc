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

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Survey TakeSurvey(const Problem& problem) {
  const size_t n = problem.n();
  const auto free_of_charge = PaddedVector<float>(n, 0);
  const auto sign = static_cast<float>(problem.sign);
  Survey survey;
  std::vector<double> ranges;
  for (size_t i = 0; i < n; ++i) {
    const Range range = FindRange(problem.Row(i), n);
    if (!range.finite) ThrowNotFinite(problem.matrix, i);
    survey.largest =
        std::max({survey.largest, std::abs(range.low), std::abs(range.high)});
    if (range.high > range.low) {
      ranges.push_back(static_cast<double>(range.high) - range.low);
    }
    const auto minima =
        TwoMinima(problem.Row(i), sign, free_of_charge.data(), n);
    survey.row_minima.push_back(minima.best);
    survey.columns.push_back(minima.column);
  }
  survey.typical_range = Median(std::move(ranges));
  return survey;
}

std::optional<Assignment> SolveByRowMinima(const Problem& problem,
                                           const Survey& survey) {
  std::vector<bool> taken(problem.n());
  for (const int32_t column : survey.columns) {
    if (taken[static_cast<size_t>(column)]) return std::nullopt;
    taken[static_cast<size_t>(column)] = true;
  }
  Assignment result;
  result.column_of_row = survey.columns;
  result.duals.columns.resize(problem.n());
  for (const float minimum : survey.row_minima) {
    result.duals.rows.push_back(problem.sign * minimum);
    result.value += problem.sign * minimum;
  }
  return result;
}

}  // namespace rebasin::assignment
