// Detects parts of a graph that no run reaches, such as a detector's head if no
// box has a high enough score. Permuted units that are used only there have no
// visible effect. The ends are the values where the static part of the graph
// (static_part.h) stops.

#ifndef REBASIN_VERIFY_HIDDEN_ENDS_H_
#define REBASIN_VERIFY_HIDDEN_ENDS_H_

#include <memory>
#include <set>
#include <vector>

#include "graph/branches.h"
#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/symmetry.h"
#include "verify/static_part.h"

namespace rebasin {

// A run of a graph, whose result is compared before and after permuting.
struct PermutedRun {
  const Graph& graph;
  const std::vector<Shape>& shapes;
  const BranchChoice& choice;
  const Checkpoint& before;
  double threshold = 0;  // relative differences above this are visible
  uint64_t seed = 0;     // of the random inputs
};

// What all runs so far showed about the ends of the static part.
struct Ends {
  std::set<ValueId> moving = {};  // ends that change when weights are permuted
  // Ends that change the outputs when they are disturbed.
  std::set<ValueId> shown = {};

  // The ends in `moving` that are not in `shown`.
  std::set<ValueId> Hidden() const;
};

// Adds the result of this run, where `after` are the permuted weights.
void UpdateEnds(const PermutedRun& run, const Checkpoint& after,
                const StaticPart& part, Ends& ends);

// The groups among `groups` that change one of `values` when moved alone.
std::vector<int> GroupsThatChange(
    const PermutedRun& run, const std::set<ValueId>& values,
    const std::shared_ptr<const Symmetry>& symmetry,
    const std::vector<int>& groups);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_HIDDEN_ENDS_H_
