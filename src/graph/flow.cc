#include "graph/flow.h"

#include <algorithm>

#include "graph/operator.h"

namespace rebasin {

bool IsProduct(const Node& node) { return Is(node, OperatorClass::kLayer); }

Flow::Flow(const Graph& graph)
    : makers_(graph.values().size(), nullptr),
      users_(graph.values().size()),
      output_uses_(graph.values().size(), 0),
      from_inputs_(graph.values().size(), false),
      from_weights_(graph.values().size(), false),
      reaches_output_(graph.values().size(), false),
      depths_(graph.values().size(), 0) {
  RecordUses(graph);
  PropagateForward(graph);
  PropagateBackward(graph);
}

int Flow::Uses(ValueId value) const {
  return static_cast<int>(users_[value].size()) + output_uses_[value];
}

void Flow::RecordUses(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    for (ValueId input : node.inputs) {
      if (input != kNoValue) users_[input].push_back(&node);
    }
    for (ValueId output : node.outputs) {
      if (output != kNoValue) makers_[output] = &node;
    }
  }
  for (ValueId output : graph.outputs()) ++output_uses_[output];
}

bool Flow::IsLayer(const Node& node) const {
  if (!IsProduct(node)) return false;
  bool data = false, weights = false;
  for (ValueId input : node.inputs) {
    if (input == kNoValue) continue;
    data |= DependsOnInputs(input);
    weights |= DependsOnWeightsOnly(input);
  }
  return data && weights;
}

void Flow::PropagateForward(const Graph& graph) {
  for (ValueId input : graph.inputs()) from_inputs_[input] = true;
  for (ValueId weight : graph.weights()) from_weights_[weight] = true;
  for (const Node& node : graph.nodes()) {
    // Weights do not affect shapes.
    if (Is(node, OperatorClass::kShapeOnly)) continue;
    bool inputs = false, weights = false;
    int depth = 0;
    for (ValueId input : node.inputs) {
      if (input == kNoValue) continue;
      inputs = inputs || from_inputs_[input];
      weights = weights || from_weights_[input];
      depth = std::max(depth, depths_[input]);
    }
    if (IsLayer(node)) ++depth;
    for (ValueId output : node.outputs) {
      if (output == kNoValue) continue;
      from_inputs_[output] = inputs;
      from_weights_[output] = weights;
      depths_[output] = depth;
    }
  }
}

void Flow::PropagateBackward(const Graph& graph) {
  for (ValueId output : graph.outputs()) reaches_output_[output] = true;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend();
       ++node) {
    if (Is(*node, OperatorClass::kShapeOnly) || IsLayer(*node)) continue;
    const bool reaches = std::any_of(
        node->outputs.begin(), node->outputs.end(), [this](ValueId output) {
          return output != kNoValue && reaches_output_[output];
        });
    if (!reaches) continue;
    for (ValueId input : node->inputs) {
      if (input != kNoValue) reaches_output_[input] = true;
    }
  }
}

}  // namespace rebasin
