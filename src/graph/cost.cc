#include "graph/cost.h"

#include "graph/operator.h"

namespace rebasin {
namespace {

double Products(const Node& node, const std::vector<ValueType>& types) {
  const auto known = [&](ValueId id) {
    return id != kNoValue && types[id].known;
  };
  const CountFunction count = FactsOf(node).count;
  if (count == nullptr || node.inputs.size() < 2 || !known(node.inputs[0]) ||
      !known(node.inputs[1]) || !known(node.outputs[0])) {
    return 0;
  }
  return count(types[node.inputs[0]].shape, types[node.inputs[1]].shape,
               types[node.outputs[0]].shape);
}

}  // namespace

double CountProducts(const Graph& graph, const Inference& inference) {
  double products = 0;
  for (const Node& node : graph.nodes()) {
    products += Products(node, inference.types);
  }
  return products;
}

}  // namespace rebasin
