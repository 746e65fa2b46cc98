// Bertsekas' auction: a fast approximate matching in float32.

#ifndef REBASIN_ASSIGNMENT_AUCTION_H_
#define REBASIN_ASSIGNMENT_AUCTION_H_

#include <span>

#include "assignment/candidates.h"
#include "assignment/problem.h"

namespace rebasin::assignment {

// Prices and epsilon are in the units of the scaled costs.
class Auction {
 public:
  // `prices` are padded and not scaled; `ranges` of rows are scaled.
  Auction(const Problem& problem, std::span<const double> prices,
          std::span<const float> ranges);

  // Free rows bid, one at a time, for their cheapest column: they raise its
  // price by the distance to their second choice plus `epsilon`, and evict the
  // row that held it. At the end each row is within epsilon of its best choice,
  // unless `max_bids` was reached.
  void Run(float epsilon, int64_t max_bids, Matching* matching);

  // Lowers prices that were raised too far, so that most pairs lose their
  // slack, and releases the rows whose slack is still above `tolerance`. Only
  // those must be matched in the next phase with a smaller epsilon. `epsilon`
  // is that of the last phase.
  void LowerExcessPrices(float epsilon, float tolerance, Matching* matching);

  // Not scaled, padded.
  std::vector<double> Prices() const;

 private:
  void LowerColumnsOfRow(size_t row, float dual,
                         std::vector<float>* lowest) const;

  const Problem& problem_;
  Candidates candidates_;
  std::vector<float> prices_;
};

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_AUCTION_H_
