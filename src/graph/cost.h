// The amount of arithmetic in a graph. It is counted from shapes, not measured,
// so that decisions based on it are the same on every machine.

#ifndef REBASIN_GRAPH_COST_H_
#define REBASIN_GRAPH_COST_H_

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

// The number of multiplications of one run. Only convolutions and matrix
// products count; the rest is negligible.
double CountProducts(const Graph& graph, const Inference& inference);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_COST_H_
