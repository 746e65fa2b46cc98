// Whole networks: built-in architectures and exports, against the reference.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "discovery/discovered.h"
#include "exports/stripped.h"
#include "graph/inference.h"
#include "graph/interpreter.h"
#include "nn/network.h"
#include "nn/tensors.h"
#include "rebasin/zoo.h"
#include "verify/random_inputs.h"

namespace rebasin::nn {
namespace {

using ::rebasin::testing::RandomWeights;
using ::rebasin::testing::ReadStripped;

// A network with random weights and inputs, and what should come out.
struct Example {
  std::shared_ptr<const Graph> graph;
  Checkpoint weights;
  std::vector<Array> inputs;
  std::vector<Array> outputs;
};

Array ArrayOf(const Tensor& tensor) {
  std::vector<double> values(tensor.size());
  ReadDoubles(tensor, 0, values);
  return MakeArray(Kind::kFloat, tensor.shape, std::move(values));
}

Example MakeExample(Graph graph) {
  Example example{.graph = std::make_shared<const Graph>(std::move(graph)),
                  .weights = {},
                  .inputs = {},
                  .outputs = {}};
  const Graph& g = *example.graph;
  const std::vector<Shape> shapes = SmallInputShapes(g);
  const Inference inference = Infer(g, shapes);
  example.weights = RandomWeights(g, 1);
  example.inputs = RandomInputs(g, inference, shapes, 2);
  example.outputs =
      RunGraph(g, inference, example.inputs, [&](const Value& value) {
        return ArrayOf(*example.weights.Find(value.name));
      });
  return example;
}

// The largest difference of an output, relative to the output's largest.
double Difference(const Example& example, Precision precision) {
  const Graph& graph = *example.graph;
  const Network network(example.graph, precision);
  const at::ScalarType type = network.float_type();
  std::vector<at::Tensor> weights, inputs;
  for (ValueId id : graph.weights()) {
    const Tensor* tensor = example.weights.Find(graph.values()[id].name);
    weights.push_back(FromArray(ArrayOf(*tensor), type));
  }
  for (const Array& input : example.inputs) {
    inputs.push_back(FromArray(input, type));
  }
  const auto outputs = network.Run(weights, inputs);
  double most = 0;
  for (size_t o = 0; o < outputs.size(); ++o) {
    const at::Tensor expected = FromArray(example.outputs[o], at::kDouble);
    const at::Tensor found = outputs[o].to(at::kDouble);
    EXPECT_EQ(found.sizes(), expected.sizes());
    const double scale = expected.abs().max().item<double>();
    most =
        std::max(most, (found - expected).abs().max().item<double>() / scale);
  }
  return most;
}

class ZooTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ZooTest, AgreesWithTheReference) {
  const Example example = MakeExample(ZooGraph(GetParam()));
  EXPECT_LT(Difference(example, Precision::kFloat64), 1e-9);
  EXPECT_LT(Difference(example, Precision::kFloat32), 1e-4);
}

// What is 2^-8 in one step grows with depth; it must be there at all.
TEST_P(ZooTest, AgreesRoughlyWithRoundedProducts) {
  const Example example = MakeExample(ZooGraph(GetParam()));
  const double difference = Difference(example, Precision::kBFloat16);
  EXPECT_LT(difference, 5e-2);
  EXPECT_GT(difference, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    All, ZooTest,
    ::testing::Values("mlp", "vgg11:norm=layer,head=cifar",
                      "vgg16:norm=batch,head=cifar",
                      "resnet20:shortcut=A,norm=batch",
                      "resnet20:shortcut=B,norm=layer", "resnet18:image=64",
                      "resnet50:image=64", "densenet121:image=32",
                      "mobilenetv2:image=32,se=true", "convnext_tiny:image=32",
                      "convmixer:depth=2,width=32,patch=4", "residual_mlp",
                      "vit:image=32,depth=2,width=128,mlp=200,classes=5",
                      "gpt2:depth=2,width=128,vocab=30,context=20",
                      "llama:depth=2,width=128,kv_heads=1,mlp=100,vocab=30",
                      "lstm:in=5,width=6,layers=2,classes=3,vocab=20,"
                      "bidirectional=true"));

class ExportTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ExportTest, AgreesWithTheReference) {
  const Example example = MakeExample(ReadStripped(GetParam()));
  EXPECT_LT(Difference(example, Precision::kFloat64), 1e-9);
  EXPECT_LT(Difference(example, Precision::kFloat32), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    All, ExportTest,
    ::testing::Values("channel-shuffle", "decoder", "dense-toy", "einsum",
                      "efficientnet_b0", "googlenet", "gpt2", "grouped",
                      "groupnorm", "gru", "lstm", "mha", "mlp", "mnasnet1_0",
                      "mobilenet_v2", "mobilenet_v3_small", "pixel-shuffle",
                      "prelu", "regnet_y_400mf", "resnet18",
                      "shufflenet_v2_x1_0", "squeezenet1_1", "swin_t", "unet",
                      "weight-norm"));

}  // namespace
}  // namespace rebasin::nn
