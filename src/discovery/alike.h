// Finds lists of tensors that may be permuted as wholes: the weights of
// branches that compute the same function of different weights, and whose
// results are added up or stacked. An example are the experts of a mixture,
// exported one by one.
//
// Branches may also differ in the index of an axis that each one reads (expert
// 3 reads score 3). Then that axis must be permuted along with the list.

#ifndef REBASIN_DISCOVERY_ALIKE_H_
#define REBASIN_DISCOVERY_ALIKE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

struct AlikeBranches {
  int64_t size = 0;  // number of branches
  // Corresponding weights: by position in the branch, then by branch.
  std::vector<std::vector<ValueId>> weights = {};
};

struct AlikeLists {
  std::vector<AlikeBranches> lists = {};
  // The list of each node that reads a branch's own index of an axis, or that
  // stacks the results of all branches.
  std::map<size_t, int> list_of_node = {};
};

// Takes a bounded number of steps for each node of the graph. Branches that
// need more are not found.
AlikeLists FindAlike(const Graph& graph, const Inference& inference);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_ALIKE_H_
