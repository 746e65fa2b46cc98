// Matching a model again, to a target that changed a little: from where it
// stands, and with what the assignments of last time learnt.

#ifndef REBASIN_MATCH_DESCENT_REMATCH_H_
#define REBASIN_MATCH_DESCENT_REMATCH_H_

#include <vector>

#include "assignment/assignment.h"
#include "base/parallel.h"
#include "match/problem.h"
#include "rebasin/alignment.h"
#include "rebasin/match.h"

namespace rebasin {

// Where a model stands. Duals belong to the units of the model as it is, not as
// it is permuted, so that they stay true when it moves.
struct Standing {
  Alignment alignment;
  std::vector<AssignmentDuals> duals = {};  // by tree; empty at first
};

// Coordinate descent from where B stands, of at most options.max_passes passes.
// Returns whether it moved; then the objective is higher by more than rounding.
bool Rematch(const Problem& problem, const MatchOptions& options,
             const Run& run, ThreadPool& pool, Standing& standing);

}  // namespace rebasin

#endif  // REBASIN_MATCH_DESCENT_REMATCH_H_
