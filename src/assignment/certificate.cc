#include "assignment/certificate.h"

#include <cmath>
#include <utility>

namespace rebasin::assignment {
namespace {

// Neumaier's compensated sum: the gap is a small difference of large sums.
class Sum {
 public:
  void Add(double term) {
    const double next = sum_ + term;
    const bool sum_larger = std::abs(sum_) >= std::abs(term);
    lost_ += sum_larger ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  double Total() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace

Assignment Certify(const Problem& problem, const Matching& matching,
                   std::vector<double> prices) {
  const size_t n = problem.n();
  Assignment result;
  result.column_of_row = matching.column_of_row;
  Sum value, slack;
  result.duals.rows.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const auto j = static_cast<size_t>(result.column_of_row[i]);
    const double dual =
        Smallest(problem.Row(i), problem.sign, prices.data(), n);
    value.Add(problem.matrix.row(static_cast<int64_t>(i))[j]);
    slack.Add(problem.Cost(i, j) + prices[j] - dual);
    result.duals.rows[i] = problem.sign * dual;
  }
  prices.resize(n);
  for (double& price : prices) price *= -problem.sign;
  result.duals.columns = std::move(prices);
  result.value = value.Total();
  result.gap = slack.Total();
  return result;
}

}  // namespace rebasin::assignment
