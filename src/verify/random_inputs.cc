#include "verify/random_inputs.h"

#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "base/random.h"
#include "graph/operator.h"

namespace rebasin {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

int64_t Steps(const Node& node, const Shape& shape) {
  const auto found = node.attributes.find("time_axis");
  const auto* axis = found == node.attributes.end()
                         ? nullptr
                         : std::get_if<int64_t>(&found->second);
  return axis != nullptr && *axis == 1 && shape.size() > 1 ? shape[1]
                                                           : shape[0];
}

// The upper bound of the integers in a node's input: the size of a table, or
// the number of steps of a recurrent layer. kNoLimit if there is none.
int64_t LimitOf(const Node& node, size_t input, const Inference& inference) {
  const IndexLimit limit = FactsOf(node).input(input).limit;
  if (limit == IndexLimit::kNone) return kNoLimit;
  const ValueType& x = inference.types[node.inputs[0]];
  if (!x.known || x.shape.empty()) return kNoLimit;
  if (limit == IndexLimit::kSteps) return Steps(node, x.shape) + 1;
  if (limit == IndexLimit::kSmallestAxis) {
    return *std::min_element(x.shape.begin(), x.shape.end());
  }
  const auto axis = AxisNamedBy(node, x);
  return axis ? x.shape[*axis] : kNoLimit;
}

// For each value, the smallest bound of all nodes that use it, directly or
// through nodes that pass it on.
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
    if (!FactsOf(*node).keeps().indices || node->inputs.empty()) continue;
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
