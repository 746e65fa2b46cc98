// What Pad puts around an array.

#ifndef REBASIN_GRAPH_OPS_PAD_H_
#define REBASIN_GRAPH_OPS_PAD_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

struct Margin {
  int64_t before = 0;
  int64_t after = 0;
};

// One for each axis, negative to cut; nothing if the values are not known.
std::optional<std::vector<Margin>> Margins(const OpContext& context);

enum class PadMode { kConstant, kReflect, kEdge, kWrap };

PadMode PadModeOf(const OpContext& context);

// The index in [0, size) that the padding at `index` repeats; an index within
// is its own. Negative where mode kConstant repeats nothing.
int64_t PadSource(PadMode mode, int64_t index, int64_t size);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_PAD_H_
