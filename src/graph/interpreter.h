// Runs a graph in double, operator by operator, by the plain meanings in
// graph/ops. The reference for everything faster, and the engine of `verify`.

#ifndef REBASIN_GRAPH_INTERPRETER_H_
#define REBASIN_GRAPH_INTERPRETER_H_

#include <functional>
#include <span>
#include <vector>

#include "graph/branches.h"
#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

// The numbers of a weight, asked for when first needed.
using WeightSource = std::function<Array(const Value& weight)>;

// One array for each output of the graph. `inference` must be that of the
// shapes of `inputs`. Branches that are not taken are not run; `choice` has the
// values of conditions that are not to be computed. Throws
// Error(kUnsupported) at an operator that this library does not know, and for
// loops without an end in sight.
std::vector<Array> RunGraph(const Graph& graph, const Inference& inference,
                            std::span<const Array> inputs,
                            const WeightSource& weights,
                            const BranchChoice& choice = {});

}  // namespace rebasin

#endif  // REBASIN_GRAPH_INTERPRETER_H_
