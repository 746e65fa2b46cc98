// Positions that TopK and ArgMax give are looked up elsewhere: there must be as
// many things to look up as there were to choose from. Shapes alone do not say
// so; a graph that runs at one size may not at another.

#ifndef REBASIN_GRAPH_POSITIONS_H_
#define REBASIN_GRAPH_POSITIONS_H_

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

// Whether all positions along an axis of known size are looked up along axes
// that are as long. Numbers computed in other ways are not followed.
bool PositionsFit(const Graph& graph, const Inference& inference);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_POSITIONS_H_
