// Inputs, domains, control flow and claims about shapes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/onnx.h"
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

std::vector<std::string> InputNames(const Graph& graph, const Node& node) {
  std::vector<std::string> names;
  for (ValueId id : node.inputs) {
    names.push_back(id == kNoValue ? "-" : graph.values()[id].name);
  }
  return names;
}

TEST(OnnxGraph, OperatorsOfOtherDomainsCarryTheDomain) {
  OnnxBuilder builder;
  builder.Input("x", {2});
  builder.Node("Gelu", {"x"}, {"y"}).set_domain("com.microsoft");
  builder.Node("Relu", {"y"}, {"z"}).set_domain("ai.onnx");
  builder.Output("z");
  const OnnxModel model = Read(builder);
  EXPECT_EQ(model.graph.nodes()[0].op, "com.microsoft::Gelu");
  EXPECT_EQ(model.graph.nodes()[1].op, "Relu");
}

TEST(OnnxGraph, InputsMayBeLeftOut) {
  OnnxBuilder builder;
  builder.Input("x", {2});
  builder.Weight("most", {}, {6});
  builder.Node("Clip", {"x", "", "most"}, {"y"});
  builder.Output("y");
  const OnnxModel model = Read(builder);
  EXPECT_THAT(InputNames(model.graph, model.graph.nodes()[0]),
              ElementsAre("x", "-", "most"));
}

TEST(OnnxGraph, AttributesKeepTheirTypes) {
  OnnxBuilder builder;
  builder.Input("x", {2});
  auto& node = builder.Node("Whatever", {"x"}, {"y"});
  SetInt(node, "i", 3);
  SetFloat(node, "f", 0.5);
  SetString(node, "s", "text");
  auto& list = *node.add_attribute();
  list.set_name("names");
  list.set_type(onnx::AttributeProto::STRINGS);
  list.add_strings("Sigmoid");
  list.add_strings("Tanh");
  builder.Output("y");
  const OnnxModel model = Read(builder);
  const Attributes& attributes = model.graph.nodes()[0].attributes;
  EXPECT_EQ(std::get<int64_t>(attributes.at("i")), 3);
  EXPECT_EQ(std::get<double>(attributes.at("f")), 0.5);
  EXPECT_EQ(std::get<std::string>(attributes.at("s")), "text");
  EXPECT_EQ(std::get<std::string>(attributes.at("names")), "Sigmoid,Tanh");
}

TEST(OnnxGraph, ClaimsAboutComputedValuesAreKept) {
  OnnxBuilder builder;
  builder.Input("x", {2});
  builder.Node("Whatever", {"x"}, {"y"});
  builder.Node("Relu", {"y"}, {"z"});
  builder.Output("z");
  builder.Input("y", {7, 9});  // moved to where claims belong
  builder.graph().mutable_value_info()->Add()->CopyFrom(
      builder.graph().input(1));
  builder.graph().mutable_input()->RemoveLast();
  const OnnxModel model = Read(builder);
  const ValueId y = model.graph.nodes()[0].outputs[0];
  EXPECT_TRUE(model.graph.values()[y].declared);
  EXPECT_THAT(model.graph.values()[y].shape, ElementsAre(7, 9));
}

TEST(OnnxGraph, O12_BodiesGiveTheirCapturesAsInputs) {
  OnnxBuilder builder;
  builder.Input("x", {2});
  builder.Weight("w", {2}, {1, 2});
  builder.Weight("c", {}, {1});
  auto& node = builder.Node("Scan", {"c"}, {"y"});
  OnnxBuilder body;
  body.Weight("inner.weight", {2}, {3, 4});
  body.Node("Mul", {"x", "w"}, {"a"});
  body.Node("Add", {"a", "inner.weight"}, {"b"});
  body.Output("b");
  auto& branch = *node.add_attribute();
  branch.set_name("body");
  branch.set_type(onnx::AttributeProto::GRAPH);
  branch.mutable_g()->CopyFrom(body.graph());
  builder.Output("y");
  const OnnxModel model = Read(builder);
  EXPECT_THAT(InputNames(model.graph, model.graph.nodes()[0]),
              ElementsAre("c", "x", "w", "inner.weight"));
  EXPECT_THAT(model.warnings, ElementsAre(HasSubstr("inner.weight")));
}

TEST(OnnxGraph, O12_FunctionsAreReported) {
  OnnxBuilder builder = SmallMlp();
  auto& function = *builder.model.add_functions();
  function.set_domain("local");
  function.set_name("Block");
  EXPECT_THAT(Read(builder).warnings, ElementsAre(HasSubstr("local::Block")));
}

}  // namespace
}  // namespace rebasin
