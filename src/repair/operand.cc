#include "repair/operand.h"

#include <functional>
#include <numeric>

#include "graph/operator.h"
#include "repair/attributes.h"

namespace rebasin {
namespace {

int64_t Product(const Shape& shape, int64_t begin, int64_t end) {
  return std::accumulate(shape.begin() + begin, shape.begin() + end, int64_t{1},
                         std::multiplies<>());
}

// The axis of `from` that corresponds to axis `axis` of `to` after regrouping:
// it has the same length, and the same number of elements before it.
std::optional<int64_t> SameAxis(const Shape& from, const Shape& to,
                                int64_t axis) {
  const int64_t before = Product(to, 0, axis);
  for (int64_t a = 0; a < static_cast<int64_t>(from.size()); ++a) {
    if (from[a] == to[axis] && Product(from, 0, a) == before) return a;
  }
  return std::nullopt;
}

std::optional<int64_t> AxisBefore(const Node& node, const Inference& inference,
                                  int64_t axis) {
  const View view = FactsOf(node).view;
  if (view == View::kWhole) return axis;
  if (view != View::kTransposed && view != View::kRegrouped) {
    return std::nullopt;
  }
  const ValueType& from = inference.types[node.inputs[0]];
  const ValueType& to = inference.types[node.outputs[0]];
  if (!from.known || !to.known) return std::nullopt;
  if (view == View::kRegrouped) return SameAxis(from.shape, to.shape, axis);
  return TransposedAxes(node, to.shape.size())[static_cast<size_t>(axis)];
}

}  // namespace

std::optional<WeightAxis> OwnWeight(const Graph& graph, const Flow& flow,
                                    const Inference& inference, ValueId operand,
                                    int64_t axis) {
  while (flow.Uses(operand) == 1) {
    const Value& value = graph.values()[operand];
    if (value.role == Role::kWeight) return WeightAxis{value.name, axis};
    const Node* maker = flow.Producer(operand);
    // The first input of a view has the elements; the others are parameters.
    if (maker == nullptr || !flow.DependsOnWeightsOnly(operand)) break;
    const auto before = AxisBefore(*maker, inference, axis);
    if (!before) break;
    axis = *before;
    operand = maker->inputs[0];
  }
  return std::nullopt;
}

std::optional<int64_t> BroadcastAxis(const Shape& shape, int64_t rank,
                                     int64_t channel_axis, int64_t channels) {
  const auto own_rank = static_cast<int64_t>(shape.size());
  const int64_t axis = channel_axis - (rank - own_rank);
  if (own_rank > rank || axis < 0 || shape[axis] != channels) {
    return std::nullopt;
  }
  if (Product(shape, 0, own_rank) != channels) return std::nullopt;
  return axis;
}

}  // namespace rebasin
