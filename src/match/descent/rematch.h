// Matches a model again after its target changed a little, starting from the
// previous permutations and duals.

#ifndef REBASIN_MATCH_DESCENT_REMATCH_H_
#define REBASIN_MATCH_DESCENT_REMATCH_H_

#include <vector>

#include "assignment/assignment.h"
#include "base/parallel.h"
#include "match/problem.h"
#include "rebasin/alignment.h"
#include "rebasin/match.h"

namespace rebasin {

// The current result for a model. Duals belong to the units of the unpermuted
// model, so they remain valid when it is permuted.
struct Standing {
  Alignment alignment;
  std::vector<AssignmentDuals> duals = {};  // by tree; empty at first
};

// Continues coordinate descent of B for at most options.max_passes passes.
// Returns whether B moved; then the objective rose by more than rounding.
bool Rematch(const Problem& problem, const MatchOptions& options,
             const Run& run, ThreadPool& pool, Standing& standing);

}  // namespace rebasin

#endif  // REBASIN_MATCH_DESCENT_REMATCH_H_
