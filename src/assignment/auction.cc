#include "assignment/auction.h"

#include <algorithm>
#include <cmath>

namespace rebasin::assignment {
namespace {

// Rises by at least one step of floats; otherwise bidding might never end.
float RaisedPrice(float price, const Minima<float>& minima, float epsilon) {
  const float raised = price + ((minima.second - minima.best) + epsilon);
  return std::max(raised, std::nextafter(price, kInfinity<float>));
}

}  // namespace

Auction::Auction(const Problem& problem, std::span<const double> prices,
                 std::span<const float> ranges)
    : problem_(problem), candidates_(problem, ranges) {
  const double scale = std::abs(problem.scale);
  for (const double price : prices) {
    prices_.push_back(static_cast<float>(price * scale));
  }
}

void Auction::Run(float epsilon, int64_t max_bids, Matching* matching) {
  std::vector<int32_t> free_rows = matching->FreeRows();
  std::reverse(free_rows.begin(), free_rows.end());
  for (int64_t bids = 0; !free_rows.empty() && bids < max_bids; ++bids) {
    const auto i = static_cast<size_t>(free_rows.back());
    free_rows.pop_back();
    const auto minima = candidates_.TwoCheapest(i, prices_, epsilon);
    const auto j = static_cast<size_t>(minima.column);
    prices_[j] = RaisedPrice(prices_[j], minima, epsilon);
    const int32_t evicted = matching->Assign(i, j);
    if (evicted >= 0) free_rows.push_back(evicted);
  }
}

void Auction::LowerExcessPrices(float epsilon, float tolerance,
                                Matching* matching) {
  const size_t n = problem_.n();
  std::vector<float> duals(n), lowest(PaddedSize(n), kInfinity<float>);
  for (size_t i = 0; i < n; ++i) {
    duals[i] = candidates_.TwoCheapest(i, prices_, epsilon).best;
    LowerColumnsOfRow(i, duals[i], &lowest);
  }
  for (size_t j = 0; j < n; ++j) {
    prices_[j] = std::clamp(-lowest[j], prices_[j] - epsilon, prices_[j]);
  }
  candidates_.OnPricesLowered(epsilon);
  for (size_t i = 0; i < n; ++i) {
    if (matching->IsFree(i)) continue;
    const auto j = static_cast<size_t>(matching->column_of_row[i]);
    const float cost = problem_.Row(i)[j] * problem_.scale;
    if (cost + prices_[j] - duals[i] > tolerance) matching->Release(i);
  }
}

// Columns outside a list cost this row more than prices can fall, so they are
// skipped.
void Auction::LowerColumnsOfRow(size_t row, float dual,
                                std::vector<float>* lowest) const {
  const auto columns = candidates_.Columns(row);
  if (columns.empty()) {
    LowerColumns(problem_.Row(row), problem_.scale, dual, lowest->data(),
                 problem_.n());
    return;
  }
  const auto costs = candidates_.Costs(row);
  for (size_t k = 0; k < columns.size(); ++k) {
    float& least = (*lowest)[static_cast<size_t>(columns[k])];
    least = std::min(least, costs[k] - dual);
  }
}

std::vector<double> Auction::Prices() const {
  const double scale = std::abs(problem_.scale);
  std::vector<double> prices;
  for (const float price : prices_) prices.push_back(price / scale);
  return prices;
}

}  // namespace rebasin::assignment
