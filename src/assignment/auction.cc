#include "assignment/auction.h"

#include <algorithm>
#include <cmath>

namespace rebasin::assignment {
namespace {

// At least one step of floats, or the bidding might never end.
float RaisedPrice(float price, const Minima<float>& minima, float epsilon) {
  const float raised = price + ((minima.second - minima.best) + epsilon);
  return std::max(raised, std::nextafter(price, kInfinity<float>));
}

}  // namespace

int64_t RunAuction(const Problem& problem, float epsilon, int64_t max_bids,
                   std::vector<float>* prices, Matching* matching) {
  std::vector<int32_t> free_rows = matching->FreeRows();
  std::reverse(free_rows.begin(), free_rows.end());
  int64_t bids = 0;
  while (!free_rows.empty() && bids < max_bids) {
    ++bids;
    const auto i = static_cast<size_t>(free_rows.back());
    free_rows.pop_back();
    const auto minima =
        TwoMinima(problem.Row(i), problem.scale, prices->data(), problem.n());
    const auto j = static_cast<size_t>(minima.column);
    float& price = (*prices)[j];
    price = RaisedPrice(price, minima, epsilon);
    const int32_t evicted = matching->Assign(i, j);
    if (evicted >= 0) free_rows.push_back(evicted);
  }
  return bids;
}

}  // namespace rebasin::assignment
