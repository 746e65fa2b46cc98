// Scores that are equal but for rounding: a detector that sees the same at two
// places gives both the same score, and which comes first is then decided by
// the last bit, which depends on the order in which units are added up. In a
// proof such scores are equal, and stay in the order of the places.

#ifndef REBASIN_VERIFY_COARSE_SCORES_H_
#define REBASIN_VERIFY_COARSE_SCORES_H_

#include <optional>

#include "rebasin/graph.h"

namespace rebasin {

// The graph with scores rounded to multiples of 2^-26 (with random weights they
// are of order one) before TopK, ArgMax, Hardmax or NonMaxSuppression choose by
// them. Values have the ids that they had. Nothing if the graph does not
// choose.
std::optional<Graph> WithCoarseScores(const Graph& graph);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_COARSE_SCORES_H_
