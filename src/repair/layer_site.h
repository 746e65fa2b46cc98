// Repair sites of single layers.

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

// A graph with analyses that are computed once. The graph must outlive it.
struct Study {
  explicit Study(const Graph& graph)
      : flow(graph),
        inference(Infer(graph, DefaultInputShapes(graph))),
        view{graph, flow, inference} {}
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;

  Flow flow;
  Inference inference;
  GraphView view;
};

// The site of a Conv, ConvTranspose, Gemm or MatMul, with its bias. Returns
// nothing for other operators, or if the weights are used elsewhere. The caller
// sets `node`, `depth` and `is_output`.
std::optional<RepairSite> LayerSite(const GraphView& view, const Node& node);

// The site of a BatchNormalization, under the same conditions.
std::optional<RepairSite> BatchNormOutput(const GraphView& view,
                                          const Node& node);

// The BatchNormalization that is the only user of the value and is itself a
// site; null if there is none.
const Node* OnlyBatchNorm(const GraphView& view, ValueId value);

}  // namespace rebasin

#endif  // REBASIN_REPAIR_LAYER_SITE_H_
