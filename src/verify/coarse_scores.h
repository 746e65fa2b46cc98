// Rounds the scores by which a graph chooses. A detector gives the same score
// to two places that look the same, up to rounding. Which of them comes first
// would depend on the last bit, and so on the order in which units are summed.
// Rounded scores are equal, and operators keep the order of equal scores.

#ifndef REBASIN_VERIFY_COARSE_SCORES_H_
#define REBASIN_VERIFY_COARSE_SCORES_H_

#include <optional>

#include "rebasin/graph.h"

namespace rebasin {

// A copy of the graph in which scores are rounded to multiples of 2^-26 before
// TopK, ArgMax, Hardmax or NonMaxSuppression use them. (With random weights,
// scores are of order one.) Values keep their ids. Returns nothing if the graph
// has no such operator.
std::optional<Graph> WithCoarseScores(const Graph& graph);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_COARSE_SCORES_H_
