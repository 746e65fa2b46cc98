// The range that Slice takes from each axis.

#ifndef REBASIN_GRAPH_OPS_SLICE_H_
#define REBASIN_GRAPH_OPS_SLICE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

// The indices start, start + step, ...; `count` in all, each inside the axis.
struct Cut {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

// One cut for each axis; nothing if the values of the inputs are unknown.
std::optional<std::vector<Cut>> Cuts(const OpContext& context);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_SLICE_H_
