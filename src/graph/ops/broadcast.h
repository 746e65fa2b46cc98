// Broadcasting of several inputs to one shape.

#ifndef REBASIN_GRAPH_OPS_BROADCAST_H_
#define REBASIN_GRAPH_OPS_BROADCAST_H_

#include <cstdint>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

// The common shape of both. Throws context.Bad if there is none.
Shape BroadcastShapes(const OpContext& context, const Shape& a, const Shape& b);

// The common shape of all inputs.
Shape BroadcastInputs(const OpContext& context);

// For each element of `to`, in order, the index of the element of `from` that
// is broadcast there. Requires that `from` can be broadcast to `to`.
std::vector<int64_t> BroadcastOffsets(const Shape& from, const Shape& to);

// The elements of `from`, broadcast to `to`.
std::vector<double> BroadcastValues(const Array& from, const Shape& to);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_BROADCAST_H_
