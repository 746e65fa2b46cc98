// Which initializers are weights.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "onnx/names.h"
#include "onnx/onnx.h"
#include "support/onnx_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::vector<std::string> Weights(const OnnxBuilder& builder,
                                 const OnnxOptions& options = {}) {
  const TempDir dir;
  std::vector<std::string> names;
  const auto path = dir.Write("m.onnx", builder.Bytes());
  const OnnxModel model = ReadOnnx(path, options);
  for (const Tensor& tensor : model.weights.tensors()) {
    names.push_back(tensor.name);
  }
  return names;
}

TEST(OnnxRoles, NamedFloatsAreWeightsAndIntegersAreNot) {
  OnnxBuilder builder;
  builder.Weight("a.weight", {2}, {0, 0});
  builder.Weight("logit_scale", {}, {1});
  builder.Tensor("ids", {1}, onnx::TensorProto::INT64).add_int64_data(1);
  EXPECT_THAT(Weights(builder), ElementsAre("a.weight", "logit_scale"));
}

TEST(OnnxRoles, TablesAreConstants) {
  OnnxBuilder builder;
  builder.Weight("layers.0.inv_freq", {3}, {1, 2, 3});
  builder.Weight("mask", {3}, {1, 2, 3});
  builder.Weight("mask.weight", {3}, {1, 2, 3});
  EXPECT_THAT(Weights(builder), ElementsAre("mask.weight"));
}

TEST(OnnxRoles, PatternsMakeConstants) {
  OnnxBuilder builder;
  builder.Weight("a.scale", {3}, {1, 2, 3});
  builder.Weight("b.scale", {3}, {1, 2, 3});
  builder.Weight("b.weight", {3}, {1, 2, 3});
  EXPECT_THAT(Weights(builder, {.constants = {"*.scale"}}),
              ElementsAre("b.weight"));
}

TEST(OnnxRoles, AnonymousOnesAreWeightsIfTheyActAsParameters) {
  OnnxBuilder builder;
  builder.Input("x", {1, 3});
  builder.Weight("onnx::MatMul_1", {3, 3}, Counting(9));
  builder.Weight("12", {3, 3}, Counting(9));
  builder.Weight("onnx::Pow_3", {3}, Counting(3));
  builder.Node("MatMul", {"x", "onnx::MatMul_1"}, {"a"});
  builder.Node("Transpose", {"12"}, {"t"});
  builder.Node("MatMul", {"a", "t"}, {"b"});
  builder.Node("Pow", {"b", "onnx::Pow_3"}, {"c"});
  builder.Output("c");
  EXPECT_THAT(Weights(builder), UnorderedElementsAre("onnx::MatMul_1", "12"));
}

// As PyTorch 2 exports a mask and a folded parameter.
TEST(OnnxRoles, ResultsOfOperatorsAreWeightsIfTheyActAsParameters) {
  OnnxBuilder builder;
  builder.Input("x", {1, 3});
  builder.Weight("view_1", {3, 3}, Counting(9));
  builder.Weight("scalar_tensor_default", {}, {0});
  builder.Weight("min_val_cast", {}, {0});
  builder.Weight("max_val_cast", {}, {6});
  builder.Node("MatMul", {"x", "view_1"}, {"a"});
  builder.Node("Greater", {"a", "scalar_tensor_default"}, {"b"});
  builder.Node("Clip", {"a", "min_val_cast", "max_val_cast"}, {"c"});
  builder.Output("b");
  builder.Output("c");
  EXPECT_THAT(Weights(builder), ElementsAre("view_1"));
}

TEST(OnnxRoles, SlopesOfOneNumberAreWeights) {
  OnnxBuilder builder;
  builder.Input("x", {1, 3});
  builder.Weight("onnx::PRelu_1", {1}, {0.25f});
  builder.Weight("onnx::Mul_2", {1}, {0.5f});
  builder.Node("PRelu", {"x", "onnx::PRelu_1"}, {"a"});
  builder.Node("Mul", {"a", "onnx::Mul_2"}, {"b"});
  builder.Output("b");
  EXPECT_THAT(Weights(builder), ElementsAre("onnx::PRelu_1"));
}

TEST(OnnxRoles, AnonymousNumbersAndMasksAreConstants) {
  const float infinity = std::numeric_limits<float>::infinity();
  OnnxBuilder builder;
  builder.Input("x", {1, 3});
  builder.Weight("val_1", {1}, {0.5});
  builder.Weight("val_2", {1, 3}, {0, -100, 0});
  builder.Weight("val_3", {1, 3}, {0, -1, -infinity});
  builder.Node("Mul", {"x", "val_1"}, {"a"});
  builder.Node("Add", {"a", "val_2"}, {"b"});
  builder.Node("Add", {"b", "val_3"}, {"c"});
  builder.Output("c");
  EXPECT_THAT(Weights(builder), ElementsAre());
}

TEST(OnnxRoles, CopiesByIdentityAreWeightsToo) {
  OnnxBuilder builder;
  builder.Input("x", {3});
  builder.Weight("a.weight", {3}, {1, 2, 3});
  builder.Node("Identity", {"a.weight"}, {"b.weight"});
  builder.Node("Mul", {"x", "b.weight"}, {"y"});
  builder.Output("y");
  EXPECT_THAT(Weights(builder), ElementsAre("a.weight", "b.weight"));
}

TEST(OnnxRoles, InputsWithAnInitializerAreWeights) {
  OnnxBuilder builder = SmallMlp();
  builder.model.set_ir_version(3);
  builder.Input("fc1.weight", {5, 3});
  const TempDir dir;
  const OnnxModel model = ReadOnnx(dir.Write("m.onnx", builder.Bytes()));
  EXPECT_EQ(model.graph.inputs().size(), 1);
  EXPECT_NE(model.graph.FindWeight("fc1.weight"), kNoValue);
}

TEST(OnnxNames, AnonymousOnesAreThoseThatExportersMake) {
  for (const char* name :
       {"clone", "view_3", "t", "scalar_tensor_default_1", "min_val_cast",
        "onnx::MatMul_12", "123", "val_5", "/layers.0/Constant_output_0",
        "const_fold_opt__7", "/a/b/Add_output_12"}) {
    EXPECT_TRUE(IsAnonymous(name)) << name;
  }
  for (const char* name :
       {"fc.weight", "layer1.0.conv1.weight", "W1", "model/dense/kernel:0",
        "0.weight", "rnn.weight_ih_l0", "embed_1", "block.view_1", "view_a",
        "mul_3", "exp"}) {
    EXPECT_FALSE(IsAnonymous(name)) << name;
  }
}

}  // namespace
}  // namespace rebasin
