// Values whose numbers along the last axis are different but for chance:
// products of a weight with what is not zero, and what is made of them by
// functions that keep their order.
// Where equal numbers are the rule (after a ReLU, under a mask), the one that
// comes first along its axis counts for more.

#ifndef REBASIN_DISCOVERY_DISTINCT_H_
#define REBASIN_DISCOVERY_DISTINCT_H_

#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// By value. In doubt false.
std::vector<bool> FindDistinct(const Graph& graph);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_DISTINCT_H_
