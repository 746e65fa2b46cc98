// How much arithmetic a graph takes: counted from shapes, never measured, so
// that what is decided by it is decided alike everywhere.

#ifndef REBASIN_GRAPH_COST_H_
#define REBASIN_GRAPH_COST_H_

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

// The multiplications of one run: of convolutions and products of matrices,
// besides which nothing counts.
double CountProducts(const Graph& graph, const Inference& inference);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_COST_H_
