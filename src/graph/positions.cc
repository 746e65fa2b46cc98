#include "graph/positions.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace rebasin {
namespace {

// Operators that give some of the numbers of their first input.
bool HandsOn(std::string_view op) {
  return IsOneOf(op, {"Cast", "Identity", "Reshape", "Flatten", "Squeeze",
                      "Unsqueeze", "Expand", "Transpose", "Slice", "Split",
                      "Gather", "GatherElements", "Tile"});
}

bool LooksUp(std::string_view op) {
  return IsOneOf(op, {"Gather", "GatherElements", "ScatterElements"});
}

// The size of the axis of the first input that a node names; 0 if not known.
int64_t SizeOfAxis(const Node& node, int64_t usual_axis,
                   const Inference& inference) {
  const ValueType& type = inference.types[node.inputs[0]];
  const auto axis = AxisNamedBy(node, type, usual_axis);
  return axis ? type.shape[*axis] : 0;
}

bool Has(const Node& node, size_t input) {
  return input < node.inputs.size() && node.inputs[input] != kNoValue;
}

// Of each value, the size of the axis that its numbers are positions along; 0
// if it is not known, or they are no positions.
class Positions {
 public:
  Positions(const Graph& graph, const Inference& inference)
      : graph_(graph), inference_(inference), along_(graph.values().size()) {}

  bool Fit() {
    for (const Node& node : graph_.nodes()) {
      if (!Has(node, 0)) continue;
      if (LooksUp(node.op) && !FitsTable(node)) return false;
      Follow(node);
    }
    return true;
  }

 private:
  bool FitsTable(const Node& node) const {
    if (!Has(node, 1)) return true;
    const int64_t size = SizeOfAxis(node, 0, inference_);
    return size == 0 || along_[node.inputs[1]] <= size;
  }

  void Follow(const Node& node) {
    int64_t along = 0;
    size_t first = 0;  // output that holds them
    if (HandsOn(node.op)) along = along_[node.inputs[0]];
    if (node.op == "TopK") {
      along = SizeOfAxis(node, -1, inference_);
      first = 1;
    }
    if (IsOneOf(node.op, {"ArgMax", "ArgMin"})) {
      along = SizeOfAxis(node, 0, inference_);
    }
    for (size_t o = first; o < node.outputs.size(); ++o) {
      if (node.outputs[o] != kNoValue) along_[node.outputs[o]] = along;
    }
  }

  const Graph& graph_;
  const Inference& inference_;
  std::vector<int64_t> along_;
};

}  // namespace

bool PositionsFit(const Graph& graph, const Inference& inference) {
  return Positions(graph, inference).Fit();
}

}  // namespace rebasin
