#include "assignment/tighten.h"

namespace rebasin::assignment {
namespace {

double Slack(const Problem& problem, const Duals& duals, size_t i, size_t j) {
  return problem.Cost(i, j) + duals.prices[j] - duals.rows[i];
}

// Matches free rows that have ties to their lowest free column without slack.
// Matched columns get an infinite price, so that they are ignored.
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

// Drops the matched pairs that have slack.
void KeepTightPairs(const Problem& problem, const Duals& duals,
                    Matching* matching) {
  for (size_t i = 0; i < problem.n(); ++i) {
    if (matching->IsFree(i)) continue;
    const auto j = static_cast<size_t>(matching->column_of_row[i]);
    if (Slack(problem, duals, i, j) > 0) matching->Release(i);
  }
}

// Matches free rows to their best column if it is free. Returns the unmatched
// rows that have ties.
std::vector<int32_t> MatchBestColumns(std::span<const Minima<double>> minima,
                                      Matching* matching) {
  std::vector<int32_t> tied;
  for (size_t i = 0; i < minima.size(); ++i) {
    if (!matching->IsFree(i)) continue;
    const auto j = static_cast<size_t>(minima[i].column);
    if (matching->row_of_column[j] < 0) {
      matching->Assign(i, j);
    } else if (minima[i].second == minima[i].best) {
      tied.push_back(static_cast<int32_t>(i));
    }
  }
  return tied;
}

}  // namespace

void Reduction::AddRow(const Problem& problem, size_t row, const Duals& duals) {
  const size_t n = problem.n();
  const float* costs = problem.Row(row);
  minima[row] = TwoMinima(costs, problem.sign, duals.prices.data(), n);
  LowerColumns(costs, problem.sign, minima[row].best, lowest.data(), n);
}

void Tighten(const Problem& problem, const Reduction& reduction, Duals* duals,
             Matching* matching) {
  for (size_t i = 0; i < problem.n(); ++i) {
    duals->rows[i] = reduction.minima[i].best;
    duals->prices[i] = -reduction.lowest[i];
  }
  KeepTightPairs(problem, *duals, matching);
  const auto tied = MatchBestColumns(reduction.minima, matching);
  if (!tied.empty()) MatchTiedRows(problem, tied, *duals, matching);
}

void Tighten(const Problem& problem, Duals* duals, Matching* matching) {
  Reduction reduction(problem.n());
  for (size_t i = 0; i < problem.n(); ++i) {
    reduction.AddRow(problem, i, *duals);
  }
  Tighten(problem, reduction, duals, matching);
}

void Tighten(const Problem& problem, std::span<const Minima<double>> minima,
             Duals* duals, Matching* matching) {
  Reduction reduction(problem.n());
  for (size_t i = 0; i < problem.n(); ++i) {
    reduction.minima[i] = minima[i];
    LowerColumns(problem.Row(i), problem.sign, minima[i].best,
                 reduction.lowest.data(), problem.n());
  }
  Tighten(problem, reduction, duals, matching);
}

}  // namespace rebasin::assignment
