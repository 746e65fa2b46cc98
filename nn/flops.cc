#include "nn/flops.h"

#include <algorithm>

#include "graph/inference.h"

namespace rebasin::nn {
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
  const auto shape = [&](ValueId id) { return types[id].shape; };
  if (node.inputs.size() < 2 || !types[node.inputs[0]].known ||
      !types[node.inputs[1]].known || !types[node.outputs[0]].known) {
    return 0;
  }
  const Shape first = shape(node.inputs[0]), second = shape(node.inputs[1]);
  const Shape output = shape(node.outputs[0]);
  if (node.op == "Conv") return Size(output) * RowSize(second);
  if (node.op == "ConvTranspose") return Size(first) * RowSize(second);
  if (node.op == "MatMul" && !first.empty()) {
    return Size(output) * static_cast<double>(first.back());
  }
  // The axis that is summed over is what the output's rows do not have.
  if (node.op == "Gemm") return Size(first) * RowSize(output);
  return 0;
}

double WeightElements(const Graph& graph) {
  double elements = 0;
  for (ValueId id : graph.weights()) elements += Size(graph.values()[id].shape);
  return elements;
}

}  // namespace

double ForwardFlops(const Graph& graph, const Shape& input) {
  double products = 0;
  if (const auto inference = TryInfer(graph, {input})) {
    for (const Node& node : graph.nodes()) {
      products += Products(node, inference->types);
    }
  }
  return 2 * std::max(products, static_cast<double>(input.front()) *
                                    WeightElements(graph));
}

}  // namespace rebasin::nn
