// A part of a graph may be reached by nothing: a detector's head, where no box
// scores enough. What is done there to units that were permuted is not seen.

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

// One run of a graph, before and after it was permuted.
struct EndsRun {
  const Graph& graph;
  const std::vector<Shape>& shapes;
  const BranchChoice& choice;
  const Checkpoint& before;
  double threshold = 0;  // differences above this show, in proportion
  uint64_t seed = 0;     // of inputs
};

// Ends of the static part in all runs so far.
struct Ends {
  std::set<ValueId> moving = {};  // other values where weights are permuted
  std::set<ValueId> shown = {};   // other numbers there change the outputs

  std::set<ValueId> Hidden() const;
};

// Adds what this run says, where permuting makes `after` of its weights.
void NoteEnds(const EndsRun& run, const Checkpoint& after,
              const StaticPart& part, Ends& ends);

// Those of `groups` that alone move one of `values`.
std::vector<int> GroupsThatMove(const EndsRun& run,
                                const std::set<ValueId>& values,
                                const std::shared_ptr<const Symmetry>& symmetry,
                                const std::vector<int>& groups);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_HIDDEN_ENDS_H_
