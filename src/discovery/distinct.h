// Values whose numbers along one axis are different but for chance: products of
// a weight with what is not zero, and what is made of them by functions that
// keep their order.
// Where equal numbers are the rule (after a ReLU, under a mask), the one that
// comes first along its axis counts for more.

#ifndef REBASIN_DISCOVERY_DISTINCT_H_
#define REBASIN_DISCOVERY_DISTINCT_H_

#include <cstdint>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

inline constexpr int64_t kNotDistinct = 0;

// By value, that axis, counted from the last, which is -1. In doubt
// kNotDistinct.
std::vector<int64_t> FindDistinct(const Graph& graph);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_DISTINCT_H_
