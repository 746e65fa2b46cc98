// The order in which layers are fitted one after the other.

#ifndef REBASIN_REPAIR_DEPTH_ORDER_H_
#define REBASIN_REPAIR_DEPTH_ORDER_H_

#include "rebasin/graph.h"

namespace rebasin {

// Returns the same graph, with the same value ids, in another order of nodes:
// by depth (Flow::Depth), so that of two branches that meet the one with fewer
// layers runs first and the longer one can make up for its errors. What is
// computed from weights alone runs just before it is used, so that a weight may
// still change until its layer is reached.
Graph InOrderOfDepth(const Graph& graph);

}  // namespace rebasin

#endif  // REBASIN_REPAIR_DEPTH_ORDER_H_
