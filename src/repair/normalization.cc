// Recognises whether a graph normalises its activations.

#include <algorithm>

#include "graph/flow.h"
#include "graph/operator.h"
#include "rebasin/repair.h"

namespace rebasin {
namespace {

const Node* MakerWithOp(const Flow& flow, ValueId value, std::string_view op) {
  if (value == kNoValue) return nullptr;
  const Node* maker = flow.Producer(value);
  return maker != nullptr && maker->op == op ? maker : nullptr;
}

// True for a mean, also with a small constant added.
bool IsAverage(const Flow& flow, ValueId value) {
  if (MakerWithOp(flow, value, "ReduceMean") != nullptr) return true;
  const Node* sum = MakerWithOp(flow, value, "Add");
  return sum != nullptr &&
         std::any_of(sum->inputs.begin(), sum->inputs.end(),
                     [&](ValueId input) {
                       return MakerWithOp(flow, input, "ReduceMean");
                     });
}

// x / sqrt(mean(...) + epsilon), as exporters write norms that their opset does
// not have. Quotients of weights (weight norm) do not count.
bool DividesByDeviation(const Flow& flow, const Node& node) {
  if (node.op != "Div" || node.inputs.size() != 2) return false;
  const Node* root = MakerWithOp(flow, node.inputs[1], "Sqrt");
  return root != nullptr && flow.DependsOnInputs(node.inputs[1]) &&
         IsAverage(flow, root->inputs[0]);
}

// Operators without a row are recognised by name.
bool Normalizes(const Node& node) {
  if (FindOperator(node.op) == nullptr) {
    return node.op.ends_with("Normalization");
  }
  return Is(node, OperatorClass::kNormalization);
}

}  // namespace

bool HasNormalization(const Graph& graph) {
  const Flow flow(graph);
  return std::any_of(
      graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
        return Normalizes(node) || DividesByDeviation(flow, node);
      });
}

}  // namespace rebasin
