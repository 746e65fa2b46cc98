// The axes that a node's attributes and inputs name, counted from the front.

#ifndef REBASIN_GRAPH_OPS_AXES_H_
#define REBASIN_GRAPH_OPS_AXES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

// Transpose: the input axis of each output axis. By default the axes are
// reversed.
std::vector<int64_t> Permutation(const OpContext& context);

// Reductions: the axes to reduce; nothing if they are unknown.
std::optional<std::vector<int64_t>> ReduceAxes(const OpContext& context);

// Global pooling: all axes but those of the batch and the channels.
std::vector<int64_t> SpatialAxes(const OpContext& context);

// MeanVarianceNormalization: the axes that share a mean and a variance.
std::vector<int64_t> MeanVarianceAxes(const OpContext& context);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_AXES_H_
