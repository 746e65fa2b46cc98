// Matches sibling groups that meet in a tensor, for one pair of outer units.

#ifndef REBASIN_MATCH_DESCENT_SIBLINGS_H_
#define REBASIN_MATCH_DESCENT_SIBLINGS_H_

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "match/costs/cost_window.h"
#include "rebasin/symmetry.h"

namespace rebasin {

struct SiblingMatch {
  double value = 0;        // of all permutations together
  std::vector<int> order;  // the order of the groups
  std::map<int, std::vector<int32_t>> permutations;  // by group
};

// Coordinate descent over the groups of `windows`. Groups inside a sibling get
// the same permutation for all of its units: a valid but possibly suboptimal
// choice.
SiblingMatch MatchSiblings(const Symmetry& symmetry,
                           std::span<const CostWindow> windows);

}  // namespace rebasin

#endif  // REBASIN_MATCH_DESCENT_SIBLINGS_H_
