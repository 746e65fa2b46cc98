#include "onnx/together.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/onnx_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

std::vector<std::string> Names(const Checkpoint& weights) {
  std::vector<std::string> names;
  for (const Tensor& tensor : weights.tensors()) names.push_back(tensor.name);
  return names;
}

OnnxSet ReadTogether(const std::vector<OnnxBuilder>& models,
                     const OnnxOptions& options = {}) {
  const TempDir dir;
  std::vector<std::filesystem::path> paths;
  for (const OnnxBuilder& model : models) {
    paths.push_back(
        dir.Write(std::to_string(paths.size()) + ".onnx", model.Bytes()));
  }
  return ReadOnnxTogether(paths, options);
}

// x -> two products -> a power, whose exponents have no role of a parameter.
OnnxBuilder Anonymous(const std::string& first, const std::string& second,
                      const std::string& power,
                      const std::vector<float>& exponents) {
  OnnxBuilder onnx;
  onnx.Input("x", {1, 3});
  onnx.Weight(first, {3, 3}, Counting(9));
  onnx.Weight(second, {3, 3}, {9, 8, 7, 6, 5, 4, 3, 2, 0});
  onnx.Weight(power, {3}, exponents);
  onnx.Node("MatMul", {"x", first}, {"a"});
  onnx.Node("MatMul", {"a", second}, {"b"});
  onnx.Node("Pow", {"b", power}, {"y"});
  onnx.Output("y");
  return onnx;
}

TEST(OnnxTogether, AnonymousTensorsGetTheNamesOfTheFirstModel) {
  const OnnxSet set = ReadTogether(
      {Anonymous("onnx::MatMul_1", "onnx::MatMul_2", "3", {1, 2, 4}),
       Anonymous("onnx::MatMul_2", "7", "3", {1, 2, 4})});
  EXPECT_THAT(set.differences[1], IsEmpty());
  EXPECT_EQ(Names(set.models[0].weights), Names(set.models[1].weights));
  EXPECT_THAT(set.own_names[1],
              ElementsAre(Pair("onnx::MatMul_1", "onnx::MatMul_2"),
                          Pair("onnx::MatMul_2", "7")));
  for (const Tensor& tensor : set.models[0].weights.tensors()) {
    const Tensor& other = *set.models[1].weights.Find(tensor.name);
    EXPECT_TRUE(std::equal(tensor.bytes.begin(), tensor.bytes.end(),
                           other.bytes.begin()));
  }
}

TEST(OnnxTogether, AnonymousConstantsThatDifferAreWeightsInAllModels) {
  const auto model = [](std::vector<float> exponents) {
    return Anonymous("onnx::MatMul_1", "onnx::MatMul_2", "3", exponents);
  };
  const OnnxSet same =
      ReadTogether({model({1, 2, 4}), model({1, 2, 4}), model({1, 2, 4})});
  EXPECT_THAT(Names(same.models[0].weights), SizeIs(2));
  const OnnxSet other =
      ReadTogether({model({1, 2, 4}), model({1, 2, 4}), model({1, 2, 3})});
  for (size_t m = 0; m < 3; ++m) {
    EXPECT_THAT(Names(other.models[m].weights),
                ElementsAre("3", "onnx::MatMul_1", "onnx::MatMul_2"));
    EXPECT_THAT(other.differences[m], IsEmpty());
    EXPECT_NE(other.models[m].graph.FindWeight("3"), kNoValue);
  }
}

TEST(OnnxTogether, MasksThatDifferAreDifferencesOfTheGraph) {
  const auto model = [](std::vector<float> exponents) {
    return Anonymous("onnx::MatMul_1", "onnx::MatMul_2", "3", exponents);
  };
  const OnnxSet set = ReadTogether({model({1, 0, 0}), model({0, 1, 1})});
  EXPECT_THAT(Names(set.models[1].weights), SizeIs(2));
  ASSERT_THAT(set.differences[1], SizeIs(1));
  EXPECT_EQ(set.differences[1][0].what, "input 2 (a constant)");
  // Unless the user knows better.
  const OnnxSet trained =
      ReadTogether({model({1, 0, 0}), model({0, 1, 1})}, {.trained = {"3"}});
  EXPECT_THAT(Names(trained.models[1].weights), SizeIs(3));
  EXPECT_THAT(trained.differences[1], IsEmpty());
}

TEST(OnnxTogether, BodiesAreCompared) {
  const auto model = [](const std::string& op) {
    OnnxBuilder onnx;
    onnx.Input("x", {2});
    onnx.Weight("w", {2}, {1, 2});
    onnx.Node("Mul", {"x", "w"}, {"m"});
    auto& condition = onnx.Node("ReduceMax", {"m"}, {"c"});
    condition.set_op_type("IsNaN");
    auto& node = onnx.Node("If", {"c"}, {"y"});
    for (const char* name : {"then_branch", "else_branch"}) {
      auto& attribute = *node.add_attribute();
      attribute.set_name(name);
      attribute.set_type(onnx::AttributeProto::GRAPH);
      auto& inner = *attribute.mutable_g()->add_node();
      inner.set_op_type(op);
      inner.add_input("m");
      inner.add_output("o");
      attribute.mutable_g()->add_output()->set_name("o");
    }
    onnx.Output("y");
    return onnx;
  };
  EXPECT_THAT(ReadTogether({model("Relu"), model("Relu")}).differences[1],
              IsEmpty());
  EXPECT_THAT(ReadTogether({model("Relu"), model("Tanh")}).differences[1],
              Not(IsEmpty()));
}

}  // namespace
}  // namespace rebasin
