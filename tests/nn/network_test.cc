#include "nn/network.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "graph/inference.h"
#include "graph/interpreter.h"
#include "nn/tensors.h"
#include "rebasin/zoo.h"

namespace rebasin::nn {
namespace {

// Weights of a graph that keep values at a moderate size, by order.
std::vector<at::Tensor> RandomWeights(const Graph& graph) {
  at::manual_seed(1);
  std::vector<at::Tensor> weights;
  for (ValueId id : graph.weights()) {
    const Shape& shape = graph.values()[id].shape;
    weights.push_back(at::rand(shape, at::kDouble) * 0.2 + 0.01);
  }
  return weights;
}

TEST(NetworkTest, AgreesWithTheReference) {
  const auto graph = std::make_shared<const Graph>(ZooGraph("mlp"));
  const Network network(graph, Precision::kFloat64);
  const std::vector<at::Tensor> weights = RandomWeights(*graph);
  const std::vector<Shape> shapes = SmallInputShapes(*graph);
  const at::Tensor input = at::rand(shapes[0], at::kDouble);

  const at::Tensor output = network.Run(weights, {{input}})[0];

  const auto source = [&](const Value& value) {
    const auto& ids = graph->weights();
    const ValueId id = graph->FindWeight(value.name);
    const size_t at = std::find(ids.begin(), ids.end(), id) - ids.begin();
    return ToArray(weights[at], Kind::kFloat);
  };
  const Array expected = RunGraph(*graph, Infer(*graph, shapes),
                                  {{ToArray(input, Kind::kFloat)}}, source)[0];
  EXPECT_TRUE(at::allclose(output, FromArray(expected, at::kDouble), 1e-10));
}

}  // namespace
}  // namespace rebasin::nn
