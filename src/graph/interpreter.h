// Runs a graph in double, operator by operator, by the definitions in
// graph/ops. It is the reference for faster implementations, and `verify` uses
// it.

#ifndef REBASIN_GRAPH_INTERPRETER_H_
#define REBASIN_GRAPH_INTERPRETER_H_

#include <functional>
#include <span>
#include <vector>

#include "graph/branches.h"
#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

// Returns the elements of a weight; called when a weight is first needed.
using WeightSource = std::function<Array(const Value& weight)>;

// Returns one array for each output of the graph. `inference` must be that of
// the shapes of `inputs`. Branches that are not taken are not run; `choice`
// overrides the values of conditions. Throws Error(kUnsupported) for unknown
// operators, and for loops with too many iterations.
std::vector<Array> RunGraph(const Graph& graph, const Inference& inference,
                            std::span<const Array> inputs,
                            const WeightSource& weights,
                            const BranchChoice& choice = {});

}  // namespace rebasin

#endif  // REBASIN_GRAPH_INTERPRETER_H_
