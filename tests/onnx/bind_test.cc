#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/onnx.h"
#include "support/expect_error.h"
#include "support/onnx_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OnnxModel Read(const OnnxBuilder& builder) {
  const TempDir dir;
  return ReadOnnx(dir.Write("m.onnx", builder.Bytes()));
}

// x [1, 3] times a matrix [3, 2] without a name.
OnnxBuilder FoldedModel(const std::vector<float>& matrix) {
  OnnxBuilder builder;
  builder.Input("x", {1, 3});
  builder.Weight("onnx::MatMul_7", {3, 2}, matrix);
  builder.Node("MatMul", {"x", "onnx::MatMul_7"}, {"y"});
  builder.Output("y");
  return builder;
}

Tensor Matrix(const std::string& name, const std::vector<float>& values) {
  return MakeTensor(name, {2, 3}, values);
}

TEST(BindWeights, TakesNumbersByName) {
  const std::vector<float> values(15, 9);
  const Checkpoint weights({MakeTensor("fc1.weight", {5, 3}, values)});
  const OnnxModel bound = BindWeights(Read(SmallMlp()), weights);
  ASSERT_EQ(bound.weights.tensors().size(), 1);
  EXPECT_EQ(FloatsInPlace(bound.weights.tensors()[0])[0], 9);
  EXPECT_EQ(bound.graph.weights().size(), 1);
  EXPECT_THAT(bound.warnings,
              ElementsAre(HasSubstr("3 tensors, among them \"fc1.bias\"")));
}

TEST(BindWeights, RefusesOtherShapes) {
  const std::vector<float> values(15, 9);
  const Checkpoint weights({MakeTensor("fc1.weight", {3, 5}, values)});
  ExpectError(ErrorCode::kMismatch, {"fc1.weight", "[3, 5]", "[5, 3]"},
              [&] { BindWeights(Read(SmallMlp()), weights); });
}

TEST(BindWeights, MakesWeightsOfInputs) {
  OnnxBuilder builder = SmallMlp();
  builder.graph().clear_initializer();
  builder.Input("fc1.weight", {5, 3});
  builder.Input("fc1.bias", {5});
  builder.Input("fc2.weight", {-1, 5}, {"out"});
  builder.Input("fc2.bias", {2});
  const OnnxModel whole = Read(SmallMlp());
  const OnnxModel bound = BindWeights(Read(builder), whole.weights);
  EXPECT_EQ(bound.graph.inputs().size(), 1);
  EXPECT_EQ(bound.weights.tensors().size(), 4);
  const ValueId id = bound.graph.FindWeight("fc2.weight");
  ASSERT_NE(id, kNoValue);
  EXPECT_THAT(bound.graph.values()[id].shape, ElementsAre(2, 5));
  EXPECT_THAT(bound.warnings, ElementsAre());
}

TEST(BindWeights, UndoesTheFoldingOfTranspose) {
  const Checkpoint weights({Matrix("fc.weight", {1, 3, 5, 2, 4, 6}),
                            Matrix("other.weight", {1, 2, 3, 4, 5, 6})});
  const OnnxModel bound =
      BindWeights(Read(FoldedModel({1, 2, 3, 4, 5, 6})), weights);
  ASSERT_EQ(bound.graph.nodes().size(), 2);
  const Node& node = bound.graph.nodes()[0];
  EXPECT_EQ(node.op, "Transpose");
  EXPECT_EQ(node.inputs[0], bound.graph.FindWeight("fc.weight"));
  EXPECT_THAT(bound.graph.values()[node.inputs[0]].shape, ElementsAre(2, 3));
  EXPECT_THAT(bound.warnings, ElementsAre(HasSubstr("other.weight")));
}

TEST(BindWeights, DoesNotGuessBetweenTwo) {
  const Checkpoint weights({Matrix("a.weight", {1, 3, 5, 2, 4, 6}),
                            Matrix("b.weight", {1, 3, 5, 2, 4, 6})});
  const OnnxModel bound =
      BindWeights(Read(FoldedModel({1, 2, 3, 4, 5, 6})), weights);
  EXPECT_TRUE(bound.graph.weights().empty());
  EXPECT_THAT(bound.warnings,
              ElementsAre(HasSubstr("onnx::MatMul_7"), HasSubstr("a.weight")));
}

TEST(BindWeights, FindsTiedWeightsThatWereFolded) {
  OnnxBuilder builder = FoldedModel({1, 2, 3, 4, 5, 6});
  builder.Weight("wte.weight", {2, 3}, {1, 3, 5, 2, 4, 6});
  builder.Node("Add", {"wte.weight", "x"}, {"z"});
  builder.Output("z");
  const OnnxModel whole = Read(builder);
  const Checkpoint weights({Matrix("wte.weight", {1, 3, 5, 2, 4, 6})});
  const OnnxModel bound = BindWeights(whole, weights);
  EXPECT_EQ(bound.graph.weights().size(), 1);
  EXPECT_THAT(bound.warnings, ElementsAre());
}

TEST(BindWeights, UndoesTheFoldingOfUnsqueeze) {
  OnnxBuilder builder;
  builder.Input("x", {1, 3, 2});
  builder.Weight("onnx::PRelu_7", {3, 1}, {1, 2, 3});
  builder.Node("PRelu", {"x", "onnx::PRelu_7"}, {"y"});
  builder.Output("y");
  const std::vector<float> values = {1, 2, 3};
  const Checkpoint weights({MakeTensor("slope", {3}, values)});
  const OnnxModel bound = BindWeights(Read(builder), weights);
  EXPECT_EQ(bound.graph.nodes()[0].op, "Reshape");
  EXPECT_NE(bound.graph.FindWeight("slope"), kNoValue);
}

TEST(BindWeights, GivesCopiesNumbersOfTheirOwn) {
  OnnxBuilder builder;
  builder.Input("x", {3});
  builder.Weight("a.bias", {3}, {0, 0, 0});
  builder.Node("Identity", {"a.bias"}, {"b.bias"});
  builder.Node("Add", {"x", "a.bias"}, {"y"});
  builder.Node("Add", {"y", "b.bias"}, {"z"});
  builder.Output("z");
  const std::vector<float> values = {1, 2, 3};
  const Checkpoint weights(
      {MakeTensor("a.bias", {3}, values), MakeTensor("b.bias", {3}, values)});
  const OnnxModel bound = BindWeights(Read(builder), weights);
  EXPECT_EQ(bound.graph.nodes().size(), 2);
  EXPECT_EQ(bound.graph.weights().size(), 2);
}

TEST(BindWeights, BearsCopiesOfNothing) {
  OnnxBuilder builder = SmallMlp();
  builder.Node("Identity", {""}, {"a"});
  builder.Node("Identity", {"fc1.bias"}, {""});
  builder.Node("Identity", {"fc1.bias"}, {});
  const OnnxModel model = Read(builder);
  EXPECT_EQ(BindWeights(model, model.weights).graph.nodes().size(), 6);
}

}  // namespace
}  // namespace rebasin
