// The input elements that each element of a resized axis is computed from.

#ifndef REBASIN_GRAPH_OPS_RESIZE_TAPS_H_
#define REBASIN_GRAPH_OPS_RESIZE_TAPS_H_

#include <cstdint>
#include <vector>

#include "graph/operator.h"
#include "graph/ops/resize_scaling.h"

namespace rebasin {

// An input element and its weight in an output element.
struct Tap {
  int64_t index;
  double weight;
};

// The taps of the output element at `index` of an axis. All are inside the
// input, and one may occur twice. Throws Error(kUnsupported) for unknown modes.
std::vector<Tap> Taps(const OpContext& context, const AxisScaling& scaling,
                      int64_t index);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_RESIZE_TAPS_H_
