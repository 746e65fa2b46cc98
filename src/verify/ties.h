// Equal scores: operators that choose the best of several take the first of
// equals, so that the order of what is chosen from matters. Random weights
// hardly ever give equal scores where they are possible (after a Round, a
// HardSigmoid or a ReLU), so scores are made equal and the graph is run again.

#ifndef REBASIN_VERIFY_TIES_H_
#define REBASIN_VERIFY_TIES_H_

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "graph/branches.h"
#include "graph/inference.h"
#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// Where a graph is run to look for such groups.
struct TieRun {
  const Graph& graph;
  const std::vector<Shape>& shapes;
  const BranchChoice& choice;
  const Checkpoint& weights;
  std::shared_ptr<const Symmetry> symmetry;
  double threshold = 0;  // differences above this show, in proportion
  uint64_t seed = 0;     // of inputs
};

// Whether the graph chooses by scores that may be equal.
bool MayHaveTies(const Graph& graph, const std::vector<Shape>& shapes);

// Those of `groups` whose order decides between equal scores: with scores made
// equal, permuting the group changes the outputs.
std::set<int> FindTieBreakers(const TieRun& run,
                              const std::vector<int>& groups);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_TIES_H_
