// From the operand of a node back to the weight that it is a view of.

#ifndef REBASIN_REPAIR_OPERAND_H_
#define REBASIN_REPAIR_OPERAND_H_

#include <cstdint>
#include <optional>

#include "graph/flow.h"
#include "graph/inference.h"
#include "rebasin/repair.h"

namespace rebasin {

// The weight, and which of its axes is axis `axis` of `operand`, through
// Identity, Transpose and what only regroups axes (Reshape, Unsqueeze, ...).
// Nothing unless the weight and all views of it on the way are used only here:
// then changing the weight changes this operand and nothing else.
std::optional<WeightAxis> OwnWeight(const Graph& graph, const Flow& flow,
                                    const Inference& inference, ValueId operand,
                                    int64_t axis);

// Which axis of an array of shape `shape` runs along axis `channel_axis` when
// the array is broadcast to `rank` axes. Nothing unless it has `channels`
// elements, all of them along that axis.
std::optional<int64_t> BroadcastAxis(const Shape& shape, int64_t rank,
                                     int64_t channel_axis, int64_t channels);

}  // namespace rebasin

#endif  // REBASIN_REPAIR_OPERAND_H_
