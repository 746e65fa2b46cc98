#include "assignment/tighten.h"

namespace rebasin::assignment {
namespace {

double Slack(const Problem& problem, const Duals& duals, size_t i, size_t j) {
  return problem.Cost(i, j) + duals.prices[j] - duals.rows[i];
}

// Matches free rows that have ties to their lowest free column without slack.
// The matched columns get an infinite price, so that they are not seen.
void MatchTiedRows(const Problem& problem, const std::vector<int32_t>& tied,
                   const Duals& duals, Matching* matching) {
  std::vector<double> prices = duals.prices;
  for (size_t j = 0; j < problem.n(); ++j) {
    if (matching->row_of_column[j] >= 0) prices[j] = kInfinity<double>;
  }
  for (const int32_t row : tied) {
    const auto i = static_cast<size_t>(row);
    const auto minima =
        TwoMinima(problem.Row(i), problem.sign, prices.data(), problem.n());
    if (minima.best > duals.rows[i]) continue;
    const auto j = static_cast<size_t>(minima.column);
    matching->Assign(i, j);
    prices[j] = kInfinity<double>;
  }
}

}  // namespace

void Tighten(const Problem& problem, Duals* duals, Matching* matching) {
  const size_t n = problem.n();
  std::vector<Minima<double>> minima(n);
  std::vector<double> lowest(PaddedSize(n), kInfinity<double>);
  for (size_t i = 0; i < n; ++i) {
    minima[i] =
        TwoMinima(problem.Row(i), problem.sign, duals->prices.data(), n);
    duals->rows[i] = minima[i].best;
    LowerColumns(problem.Row(i), problem.sign, minima[i].best, lowest.data(),
                 n);
  }
  for (size_t j = 0; j < n; ++j) duals->prices[j] = -lowest[j];
  for (size_t i = 0; i < n; ++i) {
    if (matching->IsFree(i)) continue;
    const auto j = static_cast<size_t>(matching->column_of_row[i]);
    if (Slack(problem, *duals, i, j) > 0) matching->Release(i);
  }
  std::vector<int32_t> tied;
  for (size_t i = 0; i < n; ++i) {
    if (!matching->IsFree(i)) continue;
    const auto j = static_cast<size_t>(minima[i].column);
    if (matching->row_of_column[j] < 0) {
      matching->Assign(i, j);
    } else if (minima[i].second == minima[i].best) {
      tied.push_back(static_cast<int32_t>(i));
    }
  }
  if (!tied.empty()) MatchTiedRows(problem, tied, *duals, matching);
}

}  // namespace rebasin::assignment
