// Finds values whose numbers along one axis are almost surely different:
// products of a weight with nonzero features, and monotonic functions of them.
// Where equal numbers are common (after a ReLU, under a mask), operators like
// TopK prefer the first of them, so that the order along the axis matters.

#ifndef REBASIN_DISCOVERY_DISTINCT_H_
#define REBASIN_DISCOVERY_DISTINCT_H_

#include <cstdint>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

inline constexpr int64_t kNotDistinct = 0;

// For each value, the axis along which its numbers are distinct, counted from
// the last axis, which is -1. kNotDistinct if there is none or in doubt.
std::vector<int64_t> FindDistinct(const Graph& graph);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_DISTINCT_H_
