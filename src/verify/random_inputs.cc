#include "verify/random_inputs.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/checked.h"
#include "base/random.h"

namespace rebasin {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// Operators that hand indices on as they are.
bool HandsOn(std::string_view op) {
  constexpr std::string_view kOps[] = {
      "Cast",      "Identity", "Reshape",   "Flatten", "Squeeze",
      "Unsqueeze", "Expand",   "Transpose", "Concat",  "CastLike",
      "Slice",     "Split",    "Gather",    "Tile"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

// The size of the axis that a Gather looks values up along.
int64_t TableSize(const Node& node, const Inference& inference) {
  const ValueType& table = inference.types[node.inputs[0]];
  const auto axis = AxisNamedBy(node, table, 0);
  return axis ? table.shape[*axis] : kNoLimit;
}

// What the integers of a node's input must stay below: the size of a table, or
// the steps of a recurrent layer. kNoLimit if nothing is known.
int64_t LimitOf(const Node& node, size_t input, const Inference& inference) {
  if (node.op == "Gather" && input == 1) return TableSize(node, inference);
  if (node.op == "GatherND" && input == 1) {
    const ValueType& table = inference.types[node.inputs[0]];
    if (!table.known || table.shape.empty()) return kNoLimit;
    return *std::min_element(table.shape.begin(), table.shape.end());
  }
  constexpr size_t kLengths = 4;
  const bool recurrent =
      node.op == "LSTM" || node.op == "GRU" || node.op == "RNN";
  if (!recurrent || input != kLengths) return kNoLimit;
  const ValueType& x = inference.types[node.inputs[0]];
  return x.known && !x.shape.empty() ? x.shape[0] + 1 : kNoLimit;
}

// For each value, the smallest limit that a node sets for it, itself or by what
// hands it on.
std::vector<int64_t> FindIndexLimits(const Graph& graph,
                                     const Inference& inference) {
  std::vector<int64_t> limits(graph.values().size(), kNoLimit);
  const auto& nodes = graph.nodes();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      if (node->inputs[i] == kNoValue) continue;
      int64_t& limit = limits[node->inputs[i]];
      limit = std::min(limit, LimitOf(*node, i, inference));
    }
    if (!HandsOn(node->op) || node->inputs.empty()) continue;
    for (ValueId out : node->outputs) {
      if (out == kNoValue) continue;
      for (ValueId in : node->inputs) {
        if (in != kNoValue) limits[in] = std::min(limits[in], limits[out]);
      }
    }
  }
  return limits;
}

}  // namespace

std::vector<Array> RandomInputs(const Graph& graph, const Inference& inference,
                                std::span<const Shape> shapes, uint64_t seed) {
  const std::vector<int64_t> limits = FindIndexLimits(graph, inference);
  Random random(seed);
  std::vector<Array> inputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const ValueId id = graph.inputs()[i];
    const Kind kind = graph.values()[id].kind;
    std::vector<double> values(*CheckedProduct(shapes[i]), 1.0);
    const int64_t limit = limits[id] == kNoLimit ? 2 : limits[id];
    for (double& value : values) {
      if (kind == Kind::kFloat) value = random.Normal();
      if (kind == Kind::kInteger) {
        value = static_cast<double>(
            random.Below(static_cast<uint64_t>(std::max<int64_t>(limit, 1))));
      }
    }
    inputs.push_back(MakeArray(kind, shapes[i], std::move(values)));
  }
  return inputs;
}

}  // namespace rebasin
