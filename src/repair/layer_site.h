// The site that one layer makes.

#ifndef REBASIN_REPAIR_LAYER_SITE_H_
#define REBASIN_REPAIR_LAYER_SITE_H_

#include <optional>

#include "graph/flow.h"
#include "graph/inference.h"
#include "rebasin/repair.h"

namespace rebasin {

struct GraphView {
  const Graph& graph;
  const Flow& flow;
  const Inference& inference;

  bool Known(ValueId value) const {
    return value != kNoValue && inference.types[value].known;
  }
  const Shape& ShapeOf(ValueId value) const {
    return inference.types[value].shape;
  }
};

// Of a Conv, ConvTranspose, Gemm or MatMul, with its bias. Nothing if it is
// another operator, or its weights are not its own. `node`, `depth` and
// `is_output` are left to the caller.
std::optional<RepairSite> LayerSite(const GraphView& view, const Node& node);

// Of a BatchNormalization, under the same conditions.
std::optional<RepairSite> BatchNormOutput(const GraphView& view,
                                          const Node& node);

}  // namespace rebasin

#endif  // REBASIN_REPAIR_LAYER_SITE_H_
