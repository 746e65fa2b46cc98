// The sizes and scales of Resize.

#ifndef REBASIN_GRAPH_OPS_RESIZE_SCALING_H_
#define REBASIN_GRAPH_OPS_RESIZE_SCALING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

// How one axis is resized.
struct AxisScaling {
  int64_t from = 1;
  int64_t to = 1;
  double scale = 1;
};

// One scaling for each axis of input 0, from the input `scales` or `sizes`.
// Nothing if their values are unknown. Throws context.Bad if they do not fit.
std::optional<std::vector<AxisScaling>> Scalings(const OpContext& context);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_RESIZE_SCALING_H_
