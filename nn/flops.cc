#include "nn/flops.h"

#include <algorithm>

#include "graph/cost.h"
#include "graph/inference.h"

namespace rebasin::nn {
namespace {

double Size(const Shape& shape) {
  double size = 1;
  for (int64_t n : shape) size *= static_cast<double>(n);
  return size;
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
    products = CountProducts(graph, *inference);
  }
  return 2 * std::max(products, static_cast<double>(input.front()) *
                                    WeightElements(graph));
}

}  // namespace rebasin::nn
