#include "discovery/distinct.h"

#include <algorithm>
#include <string_view>

#include "graph/operator.h"

namespace rebasin {
namespace {

class DistinctValues {
 public:
  explicit DistinctValues(const Graph& graph)
      : graph_(graph),
        plain_(graph.values().size(), false),
        nonzero_(graph.values().size(), false),
        distinct_(graph.values().size(), false) {}

  std::vector<bool> Find() {
    for (ValueId id : graph_.weights()) plain_[id] = nonzero_[id] = true;
    for (const Node& node : graph_.nodes()) Visit(node);
    return std::move(distinct_);
  }

 private:
  bool Holds(const std::vector<bool>& property, const Node& node,
             size_t input) const {
    return input < node.inputs.size() && node.inputs[input] != kNoValue &&
           property[node.inputs[input]];
  }

  bool IsDistinct(const Node& node) const {
    if (IsOneOf(node.op, {"MatMul", "Gemm"})) {
      return Holds(nonzero_, node, 0) && Holds(plain_, node, 1);
    }
    if (node.op == "Add") {  // a bias
      return (Holds(distinct_, node, 0) && Holds(plain_, node, 1)) ||
             (Holds(plain_, node, 0) && Holds(distinct_, node, 1));
    }
    return IsOneOf(node.op,
                   {"Identity", "LogSoftmax", "Sigmoid", "Softmax", "Tanh"}) &&
           Holds(distinct_, node, 0);
  }

  void Visit(const Node& node) {
    if (node.outputs.empty() || node.outputs[0] == kNoValue) return;
    const ValueId out = node.outputs[0];
    plain_[out] =
        IsOneOf(node.op, {"Identity", "Transpose"}) && Holds(plain_, node, 0);
    distinct_[out] = IsDistinct(node);
    nonzero_[out] = plain_[out] || IsNonzero(node);
  }

  // Whether a node's numbers are not zero but for chance. Inputs of the graph
  // may be (padding), and so may what a ReLU gives; a bias, or a row of a
  // table of weights, is not.
  bool IsNonzero(const Node& node) const {
    if (IsOneOf(node.op, {"Gather", "GatherND"})) return Holds(plain_, node, 0);
    if (IsOneOf(node.op, {"Add", "Sub"})) {
      return Holds(nonzero_, node, 0) || Holds(nonzero_, node, 1);
    }
    if (node.op == "Gemm" && Holds(plain_, node, 2)) return true;
    if (node.op == "LayerNormalization") return Holds(plain_, node, 2);
    if (IsOneOf(node.op, {"MatMul", "Gemm"})) {
      return Holds(nonzero_, node, 0) && Holds(nonzero_, node, 1);
    }
    if (node.op == "Mul") return IsFactor(node, 0) && IsFactor(node, 1);
    if (node.op == "Div") return IsFactor(node, 0);
    return IsOneOf(node.op,
                   {"Cast", "Erf", "Identity", "Pow", "Reciprocal",
                    "ReduceMean", "Reshape", "Sigmoid", "Softmax", "Sqrt",
                    "Squeeze", "Tanh", "Transpose", "Unsqueeze"}) &&
           Holds(nonzero_, node, 0);
  }

  // A constant is a factor that makes nothing zero; added to something, it may
  // be what makes it zero.
  bool IsFactor(const Node& node, size_t input) const {
    if (Holds(nonzero_, node, input)) return true;
    const ValueId id =
        input < node.inputs.size() ? node.inputs[input] : kNoValue;
    if (id == kNoValue) return false;
    if (graph_.values()[id].role != Role::kConstant) return false;
    const std::vector<double>& numbers = graph_.values()[id].constant.values();
    return std::find(numbers.begin(), numbers.end(), 0) == numbers.end();
  }

  const Graph& graph_;
  // Weights as they are, or with their axes in another order: each number of
  // the weight once.
  std::vector<bool> plain_;
  std::vector<bool> nonzero_;
  std::vector<bool> distinct_;
};

}  // namespace

std::vector<bool> FindDistinct(const Graph& graph) {
  return DistinctValues(graph).Find();
}

}  // namespace rebasin
