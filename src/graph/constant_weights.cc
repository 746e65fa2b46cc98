#include "graph/constant_weights.h"

namespace rebasin {

Array FloatArray(const Tensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  ReadDoubles(tensor, 0, values);
  return MakeArray(Kind::kFloat, tensor.shape, std::move(values));
}

Graph WithConstantWeights(const Graph& graph,
                          const std::vector<Tensor>& tensors) {
  std::vector<Value> values = graph.values();
  for (const Tensor& tensor : tensors) {
    const ValueId id = graph.FindWeight(tensor.name);
    if (id == kNoValue) continue;
    Value& value = values[static_cast<size_t>(id)];
    value.role = Role::kConstant;
    value.constant = FloatArray(tensor);
  }
  return Graph(std::move(values), graph.nodes(), graph.outputs());
}

}  // namespace rebasin
