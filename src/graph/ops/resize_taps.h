// Where the elements of a resized axis come from.

#ifndef REBASIN_GRAPH_OPS_RESIZE_TAPS_H_
#define REBASIN_GRAPH_OPS_RESIZE_TAPS_H_

#include <cstdint>
#include <vector>

#include "graph/operator.h"
#include "graph/ops/resize_scaling.h"

namespace rebasin {

// An element of the input, and how much of it goes into one of the output.
struct Tap {
  int64_t index;
  double weight;
};

// The taps of the output element at `index` of an axis. All are within the
// input; one may be there twice. Throws Error(kUnsupported) for modes not known
// here.
std::vector<Tap> Taps(const OpContext& context, const AxisScaling& scaling,
                      int64_t index);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_RESIZE_TAPS_H_
