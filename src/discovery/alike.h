// Lists of tensors that change places: the weights of branches that compute the
// same function of different weights, and whose results are added up or
// stacked. The experts of a mixture, unrolled, are such branches.
//
// What tells the branches apart, besides their weights, may be which index of
// an axis they read (expert 3 reads score 3). Then that axis must be permuted
// along with the list.

#ifndef REBASIN_DISCOVERY_ALIKE_H_
#define REBASIN_DISCOVERY_ALIKE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

struct AlikeBranches {
  int64_t size = 0;  // how many there are
  // Weights that correspond: by place in the branch, then by branch.
  std::vector<std::vector<ValueId>> weights = {};
};

struct Alike {
  std::vector<AlikeBranches> lists = {};
  // Nodes that take one index of an axis for its branch, or that stack the
  // results of all branches: which list they belong to.
  std::map<size_t, int> list_of_node = {};
};

// Needs no more than some steps for each node of the graph; what would need
// more is not found.
Alike FindAlike(const Graph& graph, const Inference& inference);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_ALIKE_H_
