#include "graph/positions.h"

#include <vector>

#include "graph/operator.h"

namespace rebasin {
namespace {

// The size of the axis of the first input that the node names; 0 if unknown.
int64_t SizeOfAxis(const Node& node, const Inference& inference) {
  const ValueType& type = inference.types[node.inputs[0]];
  const auto axis = AxisNamedBy(node, type);
  return axis ? type.shape[*axis] : 0;
}

bool Has(const Node& node, size_t input) {
  return input < node.inputs.size() && node.inputs[input] != kNoValue;
}

// For each value whose numbers are positions along an axis: the size of that
// axis. 0 if it is unknown, or if the numbers are not positions.
class Positions {
 public:
  Positions(const Graph& graph, const Inference& inference)
      : graph_(graph), inference_(inference), along_(graph.values().size()) {}

  bool Fit() {
    for (const Node& node : graph_.nodes()) {
      if (!Has(node, 0)) continue;
      if (!FitsTable(node)) return false;
      Follow(node);
    }
    return true;
  }

 private:
  bool FitsTable(const Node& node) const {
    const auto indices = FactsOf(node).FindInput(InputRole::kIndices);
    if (!indices || !Has(node, *indices)) return true;
    const int64_t size = SizeOfAxis(node, inference_);
    return size == 0 || along_[node.inputs[*indices]] <= size;
  }

  void Follow(const Node& node) {
    const Facts& facts = FactsOf(node);
    if (facts.keeps().positions) Note(node, 0, along_[node.inputs[0]]);
    if (facts.positions == PositionOutputs::kAll) {
      Note(node, 0, SizeOfAxis(node, inference_));
    }
    if (facts.positions == PositionOutputs::kAllButFirst) {
      Note(node, 1, SizeOfAxis(node, inference_));
    }
  }

  void Note(const Node& node, size_t first_output, int64_t along) {
    for (size_t o = first_output; o < node.outputs.size(); ++o) {
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
