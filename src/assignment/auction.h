// Bertsekas' auction: an approximate matching, fast, in float32.

#ifndef REBASIN_ASSIGNMENT_AUCTION_H_
#define REBASIN_ASSIGNMENT_AUCTION_H_

#include <span>

#include "assignment/candidates.h"
#include "assignment/problem.h"

namespace rebasin::assignment {

// Prices here are relative to the scaled costs, as is epsilon.
class Auction {
 public:
  // Starts from `prices` (padded), not scaled; `ranges` of rows, scaled.
  Auction(const Problem& problem, std::span<const double> prices,
          std::span<const float> ranges);

  // Free rows bid, one at a time, for the column that is cheapest for them:
  // they raise its price by the distance to their second choice and `epsilon`
  // more, and evict the row that held it. At the end each row is within epsilon
  // of its best choice, unless `max_bids` ended it early.
  void Run(float epsilon, int64_t max_bids, Matching* matching);

  // Takes back what was bid in excess, so that most pairs lose their slack, and
  // releases the rows whose slack remains above `tolerance`: the next phase
  // with a smaller epsilon then has only those to match. `epsilon` is that of
  // the last phase.
  void TakeBackExcess(float epsilon, float tolerance, Matching* matching);

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
