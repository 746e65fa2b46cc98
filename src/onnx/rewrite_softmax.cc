#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "graph/inference.h"
#include "onnx/rewrite.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr int64_t kOpsetWithoutFlattening = 13;
// Values to try for open sizes; ranks do not depend on them.
constexpr int64_t kTrialSizes[] = {2, 64, 224};

bool FlattensBefore13(std::string_view op) {
  return op == "Softmax" || op == "LogSoftmax" || op == "Hardmax";
}

// Infers types with all open sizes set to `size`.
std::vector<ValueType> TypesWith(int64_t size, const Graph& graph) {
  Inference inference;
  for (const Value& value : graph.values()) {
    ValueType type;
    if (value.role != Role::kComputed)
      type = KnownType(value.kind, value.shape);
    std::replace(type.shape.begin(), type.shape.end(), kOpenSize, size);
    inference.types.push_back(std::move(type));
    inference.constants.emplace_back();
    if (value.role == Role::kConstant) {
      inference.constants.back() = value.constant;
    }
  }
  FoldingBudget budget;
  for (const Node& node : graph.nodes()) {
    try {
      InferNode(node, graph.values(), inference, budget);
      // Code that needs these types will report the error.
    } catch (const Error&) {
    }
  }
  return inference.types;
}

// The ranks by ValueId; nothing for unknown ranks.
std::vector<std::optional<int64_t>> FindRanks(const GraphParts& parts) {
  const Graph graph(parts.values, parts.nodes, parts.outputs);
  std::vector<std::optional<int64_t>> ranks(parts.values.size());
  for (const int64_t size : kTrialSizes) {
    const auto types = TypesWith(size, graph);
    for (size_t id = 0; id < ranks.size(); ++id) {
      if (types[id].known) ranks[id] = types[id].shape.size();
    }
  }
  return ranks;
}

int64_t OldAxis(const Node& node) {
  const auto found = node.attributes.find("axis");
  if (found == node.attributes.end()) return 1;
  const auto* axis = std::get_if<int64_t>(&found->second);
  return axis ? *axis : 1;
}

Node MakeNode(std::string op, const std::string& name,
              std::vector<ValueId> inputs, ValueId output,
              Attributes attributes = {}) {
  return {.op = std::move(op),
          .name = name,
          .inputs = std::move(inputs),
          .outputs = {output},
          .attributes = std::move(attributes)};
}

// Replaces x -> softmax by x -> Shape, Flatten -> softmax -> Reshape.
void Expand(Node& node, int64_t axis, GraphParts& parts) {
  const ValueId x = node.inputs[0];
  const ValueId result = node.outputs[0];
  const ValueId shape = parts.AddComputed(node.name + "/Shape_output");
  const ValueId rows = parts.AddComputed(node.name + "/Flatten_output");
  const ValueId flat = parts.AddComputed(node.name + "/rows");
  node.inputs = {rows};
  node.outputs = {flat};
  const std::string name = node.name;
  const size_t first = parts.nodes.size();
  parts.nodes.push_back(MakeNode("Shape", name, {x}, shape));
  parts.nodes.push_back(MakeNode("Flatten", name, {x}, rows, {{"axis", axis}}));
  parts.nodes.push_back(MakeNode("Reshape", name, {flat, shape}, result));
  for (size_t n = first; n < parts.nodes.size(); ++n) {
    parts.nodes[n].guards = node.guards;
  }
}

}  // namespace

void RewriteFlatteningSoftmaxes(int64_t opset, GraphParts& parts) {
  if (opset >= kOpsetWithoutFlattening) return;
  const size_t count = parts.nodes.size();
  std::optional<std::vector<std::optional<int64_t>>> ranks;
  for (size_t n = 0; n < count; ++n) {
    Node node = parts.nodes[n];
    if (!FlattensBefore13(node.op) || node.inputs.size() != 1 ||
        node.outputs.size() != 1 || node.inputs[0] == kNoValue) {
      continue;
    }
    if (!ranks) ranks = FindRanks(parts);
    const int64_t axis = OldAxis(node);
    const auto rank = (*ranks)[static_cast<size_t>(node.inputs[0])];
    const bool last = axis == -1 || (rank && axis == *rank - 1);
    node.attributes.insert_or_assign("axis", int64_t{-1});
    if (!last) Expand(node, axis, parts);
    parts.nodes[n] = std::move(node);
  }
}

}  // namespace rebasin
