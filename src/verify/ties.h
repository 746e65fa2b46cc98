// Checks groups against equal scores. Operators that choose the best of several
// elements take the first one among equals, so that the order of the elements
// matters. Random weights hardly ever give equal scores, even where they are
// possible (after a Round, a HardSigmoid or a ReLU). So the graph is run again
// with scores made equal.

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

// A run of a graph in which scores are made equal.
struct TieRun {
  const Graph& graph;
  const std::vector<Shape>& shapes;
  const BranchChoice& choice;
  const Checkpoint& weights;
  std::shared_ptr<const Symmetry> symmetry;
  double threshold = 0;  // relative differences above this are visible
  uint64_t seed = 0;     // of the random inputs
};

// Whether the graph chooses by scores that may be equal.
bool MayHaveTies(const Graph& graph, const std::vector<Shape>& shapes);

// The groups among `groups` whose order decides between equal scores: permuting
// the group changes the outputs if scores are made equal.
std::set<int> FindTieBreakers(const TieRun& run,
                              const std::vector<int>& groups);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_TIES_H_
