// Weights that an exporter stored once because they were equal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/onnx.h"
#include "support/onnx_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;

// y = (x * a.weight) * b.weight, where b.weight is a copy of a.weight.
OnnxBuilder TwoEqualWeights() {
  OnnxBuilder onnx;
  onnx.Input("x", {1, 2});
  onnx.Weight("a.weight", {2}, {3, 4});
  onnx.Node("Identity", {"a.weight"}, {"b.weight"});
  onnx.Node("Mul", {"x", "a.weight"}, {"h"});
  onnx.Node("Mul", {"h", "b.weight"}, {"y"});
  onnx.Output("y");
  return onnx;
}

std::vector<std::string> Names(const Checkpoint& weights) {
  std::vector<std::string> names;
  for (const Tensor& tensor : weights.tensors()) names.push_back(tensor.name);
  return names;
}

TEST(Copies, AreWeightsOfTheirOwn) {
  const TempDir folder;
  const auto path = folder.Write("m.onnx", TwoEqualWeights().Bytes());
  const OnnxModel model = ReadOnnx(path);
  EXPECT_THAT(Names(model.weights), ElementsAre("a.weight", "b.weight"));
  EXPECT_EQ(model.graph.weights().size(), 2u);
  EXPECT_EQ(model.graph.nodes().size(), 2u);
}

TEST(Copies, AreWrittenWithTheirOwnNumbers) {
  const TempDir folder;
  const auto path = folder.Write("m.onnx", TwoEqualWeights().Bytes());
  const std::vector<float> a = {1, 2};
  const std::vector<float> b = {5, 6};
  const Checkpoint weights(
      {MakeTensor("a.weight", {2}, a), MakeTensor("b.weight", {2}, b)});
  WriteOnnx(path, weights, folder / "n.onnx");
  const Checkpoint back = ReadOnnxWeights(folder / "n.onnx");
  EXPECT_THAT(FloatsInPlace(*back.Find("a.weight")), ElementsAre(1, 2));
  EXPECT_THAT(FloatsInPlace(*back.Find("b.weight")), ElementsAre(5, 6));
}

TEST(Copies, KeepTheOldNumbersIfThereAreNoNewOnes) {
  const TempDir folder;
  const auto path = folder.Write("m.onnx", TwoEqualWeights().Bytes());
  const std::vector<float> a = {1, 2};
  WriteOnnx(path, Checkpoint({MakeTensor("a.weight", {2}, a)}),
            folder / "n.onnx");
  const Checkpoint back = ReadOnnxWeights(folder / "n.onnx");
  EXPECT_THAT(FloatsInPlace(*back.Find("b.weight")), ElementsAre(3, 4));
}

TEST(Copies, UnderNamesOfNodesStayCopies) {
  const TempDir folder;
  OnnxBuilder onnx;
  onnx.Input("x", {1, 2});
  onnx.Weight("a.weight", {2}, {3, 4});
  onnx.Node("Identity", {"a.weight"}, {"/head/Identity_output_0"});
  onnx.Node("Mul", {"x", "/head/Identity_output_0"}, {"y"});
  onnx.Output("y");
  const OnnxModel model = ReadOnnx(folder.Write("m.onnx", onnx.Bytes()));
  EXPECT_THAT(Names(model.weights), ElementsAre("a.weight"));
  EXPECT_EQ(model.graph.nodes().size(), 2u);
}

TEST(Copies, GivenAsOutputsStayOutputs) {
  const TempDir folder;
  OnnxBuilder onnx;
  onnx.Input("x", {1, 2});
  onnx.Weight("a.weight", {2}, {3, 4});
  onnx.Node("Identity", {"a.weight"}, {"copy"});
  onnx.Node("Mul", {"x", "a.weight"}, {"y"});
  onnx.Output("y");
  onnx.Output("copy");
  const OnnxModel model = ReadOnnx(folder.Write("m.onnx", onnx.Bytes()));
  EXPECT_EQ(model.graph.outputs().size(), 2u);
  EXPECT_EQ(model.graph.nodes().size(), 2u);
}

}  // namespace
}  // namespace rebasin
