// The margins that Pad adds around an array.

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

// One margin for each axis; a negative one cuts. Nothing if the values are
// unknown.
std::optional<std::vector<Margin>> Margins(const OpContext& context);

enum class PadMode { kConstant, kReflect, kEdge, kWrap };

PadMode PadModeOf(const OpContext& context);

// The index in [0, size) that is repeated at `index`; an index inside the array
// is its own source. Negative if the mode is kConstant and `index` is outside.
int64_t PadSource(PadMode mode, int64_t index, int64_t size);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_PAD_H_
