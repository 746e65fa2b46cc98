#include "graph/cost.h"

namespace rebasin {
namespace {

double Size(const Shape& shape) {
  double size = 1;
  for (int64_t n : shape) size *= static_cast<double>(n);
  return size;
}

// Of the elements behind the first axis.
double RowSize(const Shape& shape) {
  return shape.empty() ? 1 : Size({shape.begin() + 1, shape.end()});
}

// Multiplications of one node; 0 for what is not worth counting.
double Products(const Node& node, const std::vector<ValueType>& types) {
  const auto known = [&](ValueId id) {
    return id != kNoValue && types[id].known;
  };
  if (node.inputs.size() < 2 || !known(node.inputs[0]) ||
      !known(node.inputs[1]) || !known(node.outputs[0])) {
    return 0;
  }
  const Shape& first = types[node.inputs[0]].shape;
  const Shape& second = types[node.inputs[1]].shape;
  const Shape& output = types[node.outputs[0]].shape;
  if (node.op == "Conv") return Size(output) * RowSize(second);
  if (node.op == "ConvTranspose") return Size(first) * RowSize(second);
  if (node.op == "MatMul" && !first.empty()) {
    return Size(output) * static_cast<double>(first.back());
  }
  // The axis that is summed over is what the output's rows do not have.
  if (node.op == "Gemm") return Size(first) * RowSize(output);
  return 0;
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
