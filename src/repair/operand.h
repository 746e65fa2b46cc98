// Finds the weight of which a node's operand is a view.

#ifndef REBASIN_REPAIR_OPERAND_H_
#define REBASIN_REPAIR_OPERAND_H_

#include <cstdint>
#include <optional>

#include "graph/flow.h"
#include "graph/inference.h"
#include "rebasin/repair.h"

namespace rebasin {

// Returns the weight, and its axis that corresponds to axis `axis` of
// `operand`. Follows Identity, Transpose and operators that only regroup axes
// (Reshape, Unsqueeze, ...). Returns nothing if the weight or a view of it is
// also used elsewhere: changing the weight must not change anything but this
// operand.
std::optional<WeightAxis> OwnWeight(const Graph& graph, const Flow& flow,
                                    const Inference& inference, ValueId operand,
                                    int64_t axis);

// Returns the axis of an array of shape `shape` that runs along axis
// `channel_axis` when the array is broadcast to `rank` axes. Returns nothing
// unless the array has `channels` elements, all along that axis.
std::optional<int64_t> BroadcastAxis(const Shape& shape, int64_t rank,
                                     int64_t channel_axis, int64_t channels);

}  // namespace rebasin

#endif  // REBASIN_REPAIR_OPERAND_H_
