// Checks that positions computed by TopK and ArgMax fit the axes in which they
// are looked up: these must be as long as the axes chosen from. Shapes alone do
// not ensure this, and a graph that runs at one size may fail at another.

#ifndef REBASIN_GRAPH_POSITIONS_H_
#define REBASIN_GRAPH_POSITIONS_H_

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

// Whether all positions along an axis of known size are looked up in axes that
// are at least as long. Does not track numbers that are computed in other ways.
bool PositionsFit(const Graph& graph, const Inference& inference);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_POSITIONS_H_
