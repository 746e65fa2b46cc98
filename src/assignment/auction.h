// Bertsekas' auction: an approximate matching, fast, in float32.

#ifndef REBASIN_ASSIGNMENT_AUCTION_H_
#define REBASIN_ASSIGNMENT_AUCTION_H_

#include "assignment/problem.h"

namespace rebasin::assignment {

// Free rows bid, one at a time, for the column that is cheapest for them: they
// raise its price by the distance to their second choice and `epsilon` more,
// and evict the row that held it. At the end each row is within epsilon of its
// best choice. Epsilon is relative to the scaled costs. Stops early after
// `max_bids`; returns the number of bids.
int64_t RunAuction(const Problem& problem, float epsilon, int64_t max_bids,
                   std::vector<float>* prices, Matching* matching);

}  // namespace rebasin::assignment

#endif  // REBASIN_ASSIGNMENT_AUCTION_H_
