// If, Loop and sequences: what becomes of them in a flat graph, and of the
// weights that lie in them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "graph/inference.h"
#include "graph/interpreter.h"
#include "onnx/onnx.h"
#include "rebasin/discovery.h"
#include "support/expect_error.h"
#include "support/onnx_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using onnx::TensorProto;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void SetBody(onnx::NodeProto& node, const std::string& name,
             const OnnxBuilder& body) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  attribute.mutable_g()->CopyFrom(body.model.graph());
}

TensorProto& Constant(OnnxBuilder& builder, const std::string& name,
                      const Shape& shape, int32_t type) {
  auto& attribute = *builder.Node("Constant", {}, {name}).add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  TensorProto& tensor = *attribute.mutable_t();
  tensor.set_data_type(type);
  for (int64_t size : shape) tensor.add_dims(size);
  return tensor;
}

void Floats(OnnxBuilder& builder, const std::string& name, const Shape& shape,
            const std::vector<float>& values) {
  TensorProto& tensor = Constant(builder, name, shape, TensorProto::FLOAT);
  for (float value : values) tensor.add_float_data(value);
}

void Int(OnnxBuilder& builder, const std::string& name, int64_t value) {
  Constant(builder, name, {}, TensorProto::INT64).add_int64_data(value);
}

void Ints(OnnxBuilder& builder, const std::string& name,
          const std::vector<int64_t>& values) {
  TensorProto& tensor = Constant(
      builder, name, {static_cast<int64_t>(values.size())}, TensorProto::INT64);
  for (int64_t value : values) tensor.add_int64_data(value);
}

void Bool(OnnxBuilder& builder, const std::string& name, bool value) {
  Constant(builder, name, {}, TensorProto::BOOL).add_int32_data(value);
}

OnnxModel Read(const OnnxBuilder& builder) {
  const TempDir dir;
  return ReadOnnx(dir.Write("m.onnx", builder.Bytes()));
}

std::vector<std::string> Operators(const Graph& graph) {
  std::vector<std::string> operators;
  for (const Node& node : graph.nodes()) operators.push_back(node.op);
  return operators;
}

std::vector<std::string> WeightNames(const OnnxModel& model) {
  std::vector<std::string> names;
  for (const Tensor& tensor : model.weights.tensors()) {
    names.push_back(tensor.name);
  }
  return names;
}

// The first output for inputs of these shapes that count up.
std::vector<double> FirstOutput(const OnnxModel& model,
                                const std::vector<Shape>& shapes) {
  std::vector<Array> inputs;
  for (const Shape& shape : shapes) {
    int64_t size = 1;
    for (int64_t each : shape) size *= each;
    std::vector<double> values(size);
    for (int64_t i = 0; i < size; ++i) values[i] = static_cast<double>(i + 1);
    inputs.push_back(MakeArray(Kind::kFloat, shape, std::move(values)));
  }
  const Inference inference = Infer(model.graph, shapes);
  const auto weights = [&](const Value& weight) {
    const Tensor& tensor = *model.weights.Find(weight.name);
    std::vector<double> values(tensor.size());
    ReadDoubles(tensor, 0, values);
    return MakeArray(Kind::kFloat, tensor.shape, std::move(values));
  };
  return RunGraph(model.graph, inference, inputs, weights)[0].values();
}

// A branch x -> MatMul -> Relu -> MatMul with weights in Constant nodes.
OnnxBuilder Branch(const std::string& result, int64_t hidden, float scale) {
  OnnxBuilder body;
  std::vector<float> in = Counting(3 * hidden);
  std::vector<float> out = Counting(hidden * 2);
  for (float& value : in) value *= scale;
  Floats(body, "in", {3, hidden}, in);
  Floats(body, "out", {hidden, 2}, out);
  body.Node("MatMul", {"x", "in"}, {"h"});
  body.Node("Relu", {"h"}, {"r"});
  body.Node("MatMul", {"r", "out"}, {result});
  body.Output(result);
  return body;
}

// As voice detectors are exported: an input decides between two networks.
OnnxBuilder TwoNetworks() {
  OnnxBuilder builder;
  builder.Input("x", {2, 3});
  builder.Input("rate", {});
  Floats(builder, "usual", {}, {1});
  builder.Node("Equal", {"rate", "usual"}, {"is_usual"});
  auto& node = builder.Node("If", {"is_usual"}, {"y"});
  node.set_name("choice");
  SetBody(node, "then_branch", Branch("a", 5, 1));
  SetBody(node, "else_branch", Branch("b", 4, -1));
  builder.Output("y");
  return builder;
}

TEST(OnnxBranches, ConstantsOfBothBranchesAreWeights) {
  const OnnxModel model = Read(TwoNetworks());
  EXPECT_THAT(WeightNames(model),
              ElementsAre("choice/else_branch/in", "choice/else_branch/out",
                          "in", "out"));
  EXPECT_EQ(model.weights.Find("in")->shape, (Shape{3, 5}));
  EXPECT_EQ(model.weights.Find("choice/else_branch/in")->shape, (Shape{3, 4}));
  EXPECT_THAT(model.warnings, IsEmpty());
}

TEST(OnnxBranches, OnlyTheBranchTakenIsRun) {
  const OnnxModel model = Read(TwoNetworks());
  // rate is 1: the first of the numbers that count up.
  EXPECT_THAT(FirstOutput(model, {{2, 3}, {}}), Not(ElementsAre(0, 0, 0, 0)));
  OnnxBuilder other = TwoNetworks();
  other.graph()
      .mutable_node(0)
      ->mutable_attribute(0)
      ->mutable_t()
      ->set_float_data(0, 7);
  // All hidden units of the other branch are negative.
  EXPECT_THAT(FirstOutput(Read(other), {{2, 3}, {}}), ElementsAre(0, 0, 0, 0));
}

TEST(OnnxBranches, HiddenUnitsOfEachBranchAreFree) {
  const OnnxModel model = Read(TwoNetworks());
  const Discovery discovery = Discover(model.graph);
  std::vector<int64_t> sizes;
  for (const Group& group : discovery.symmetry.groups()) {
    sizes.push_back(group.size);
  }
  EXPECT_THAT(sizes, ::testing::UnorderedElementsAre(5, 4));
}

TEST(OnnxBranches, WeightsAreWrittenBackToWhereTheyCameFrom) {
  const TempDir dir;
  const auto from = dir.Write("m.onnx", TwoNetworks().Bytes());
  const Checkpoint old = ReadOnnxWeights(from);
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : old.tensors()) {
    std::vector<float> values(tensor.size());
    ReadFloats(tensor, 0, values);
    for (float& value : values) value += 100;
    tensors.push_back(MakeTensor(tensor.name, tensor.shape, values));
  }
  const Checkpoint changed(std::move(tensors));
  WriteOnnx(from, changed, dir.path() / "n.onnx");
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(ReadAll(dir.path() / "n.onnx")));
  const auto& choice = model.graph().node(2);
  ASSERT_EQ(choice.op_type(), "If");
  const auto& in = choice.attribute(1).g().node(0);
  EXPECT_EQ(in.output(0), "in");
  const TensorProto& tensor = in.attribute(0).t();
  ASSERT_EQ(tensor.raw_data().size(), 3 * 4 * sizeof(float));
  float first = 0;
  std::memcpy(&first, tensor.raw_data().data(), sizeof(first));
  EXPECT_EQ(first, 99);  // -1 + 100
  const Checkpoint again = ReadOnnxWeights(dir.path() / "n.onnx");
  for (const Tensor& each : changed.tensors()) {
    EXPECT_THAT(again.Find(each.name)->bytes,
                ::testing::ElementsAreArray(each.bytes));
  }
}

// x -> MatMul -> (what a branch makes of it) -> MatMul.
OnnxBuilder Between(const std::vector<std::string>& then_ops,
                    const std::vector<std::string>& else_ops,
                    const Shape& input) {
  OnnxBuilder builder;
  builder.Input("x", input);
  builder.Input("flag", {});
  builder.Weight("in.weight", {3, 5}, Counting(15));
  builder.Weight("out.weight", {5, 2}, Counting(10));
  builder.Node("MatMul", {"x", "in.weight"}, {"h"});
  Constant(builder, "half", {}, TensorProto::FLOAT).add_float_data(.5);
  builder.Node("Greater", {"flag", "half"}, {"c"});
  auto& node = builder.Node("If", {"c"}, {"r"});
  for (const bool when : {true, false}) {
    OnnxBuilder body;
    std::string last = "h";
    for (const std::string& op : when ? then_ops : else_ops) {
      body.Node(op, {last}, {last + "'"});
      last += "'";
    }
    body.Output(last);
    SetBody(node, when ? "then_branch" : "else_branch", body);
  }
  builder.Node("MatMul", {"r", "out.weight"}, {"y"});
  builder.Output("y");
  return builder;
}

size_t FreeGroups(const OnnxModel& model) {
  return Discover(model.graph).symmetry.groups().size();
}

TEST(OnnxBranches, FreedomMustHoldInBothBranches) {
  EXPECT_EQ(FreeGroups(Read(Between({"Relu"}, {"Tanh"}, {2, 3}))), 1u);
  // This branch does not treat all units alike.
  OnnxBuilder builder = Between({"Relu"}, {"Relu"}, {2, 3});
  auto& body = *builder.graph().mutable_node(3)->mutable_attribute(1);
  ASSERT_EQ(body.name(), "else_branch");
  auto& node = *body.mutable_g()->mutable_node(0);
  node.set_op_type("CumSum");
  node.add_input("axis");
  Int(builder, "axis", 1);
  EXPECT_EQ(FreeGroups(Read(builder)), 0u);
}

TEST(OnnxBranches, ResultsOfDifferentShapesAreFixed) {
  // [2, 5] or [5, 2]: nothing after it can be said.
  const OnnxModel model =
      Read(Between({"Relu", "Transpose"}, {"Relu"}, {2, 3}));
  EXPECT_EQ(FreeGroups(model), 0u);
}

// If(size of x == 1, Squeeze, Identity), as PyTorch writes squeeze.
OnnxBuilder SqueezeIfOne(const Shape& input) {
  OnnxBuilder builder;
  builder.Input("x", input);
  Int(builder, "one", 1);
  Ints(builder, "axes", {1});
  builder.Node("Shape", {"x"}, {"shape"});
  builder.Node("Gather", {"shape", "one"}, {"size"});
  builder.Node("Equal", {"size", "one"}, {"is_one"});
  auto& node = builder.Node("If", {"is_one"}, {"h"});
  OnnxBuilder squeeze, identity;
  squeeze.Node("Squeeze", {"x", "axes"}, {"s"});
  squeeze.Output("s");
  identity.Node("Identity", {"x"}, {"i"});
  identity.Output("i");
  SetBody(node, "then_branch", squeeze);
  SetBody(node, "else_branch", identity);
  builder.Node("Relu", {"h"}, {"y"});
  builder.Output("y");
  return builder;
}

TEST(OnnxBranches, SizesThatAreStatedDecide) {
  EXPECT_THAT(Operators(Read(SqueezeIfOne({2, 1, 3})).graph),
              Contains("Squeeze"));
  EXPECT_THAT(Operators(Read(SqueezeIfOne({2, 1, 3})).graph),
              Not(Contains("If")));
  EXPECT_THAT(Operators(Read(SqueezeIfOne({2, 4, 3})).graph),
              Not(Contains("Squeeze")));
  // The batch does not matter to it.
  EXPECT_THAT(Operators(Read(SqueezeIfOne({-1, 4, 3})).graph),
              Not(Contains("If")));
}

TEST(OnnxBranches, OpenSizesDoNotDecide) {
  const OnnxModel model = Read(SqueezeIfOne({2, -1, 3}));
  EXPECT_THAT(Operators(model.graph), Contains("If"));
  EXPECT_EQ(FirstOutput(model, {{2, 1, 3}}).size(), 6u);
  EXPECT_EQ(FirstOutput(model, {{2, 4, 3}}).size(), 24u);
}

TEST(OnnxBranches, BranchesThatDoNotFitAreRefused) {
  OnnxBuilder builder = TwoNetworks();
  builder.graph().mutable_node(2)->mutable_attribute()->RemoveLast();
  ExpectError(ErrorCode::kBadInput, {"choice", "else_branch"},
              [&] { Read(builder); });
}

// h = x, and trip by trip h = relu(h W); each h is stacked, too.
OnnxBuilder Repeated(int64_t trips, bool open = false) {
  OnnxBuilder builder;
  builder.Input("x", {2, 3});
  builder.Input("flag", {});
  Int(builder, "trips", trips);
  Bool(builder, "true", true);
  builder.Node("Cast", {"flag"}, {"from_flag"});
  SetInt(*builder.graph().mutable_node(2), "to", TensorProto::INT64);
  auto& node = builder.Node("Loop", {open ? "from_flag" : "trips", "true", "x"},
                            {"h", "all"});
  node.set_name("repeat");
  OnnxBuilder body;
  body.Input("trip", {});
  body.Input("goes_on", {});
  body.Input("before", {2, 3});
  body.Weight("step.weight", {3, 3}, {0, 1, 0, 0, 0, 1, 1, 0, 0});
  body.Node("Identity", {"goes_on"}, {"still"});
  body.Node("MatMul", {"before", "step.weight"}, {"product"});
  body.Node("Relu", {"product"}, {"after"});
  body.Node("Identity", {"after"}, {"row"});
  for (const char* name : {"still", "after", "row"}) body.Output(name);
  SetBody(node, "body", body);
  builder.Output("h");
  builder.Output("all");
  return builder;
}

TEST(OnnxLoops, KnownTripsAreUnrolled) {
  const OnnxModel model = Read(Repeated(2));
  EXPECT_THAT(Operators(model.graph), Not(Contains("Loop")));
  EXPECT_THAT(WeightNames(model), ElementsAre("step.weight"));
  // Moved around twice.
  EXPECT_THAT(FirstOutput(model, {{2, 3}, {}}), ElementsAre(2, 3, 1, 5, 6, 4));
}

// As PyTorch writes it: the condition of each trip is a constant of the graph.
OnnxBuilder RepeatedWhile(bool condition) {
  OnnxBuilder builder = Repeated(2);
  builder.Tensor("around", {}, TensorProto::BOOL).add_int32_data(condition);
  for (auto& node : *builder.graph().mutable_node()) {
    if (node.op_type() != "Loop") continue;
    node.mutable_attribute(0)->mutable_g()->mutable_node(0)->set_input(
        0, "around");
  }
  return builder;
}

TEST(OnnxLoops, AConditionFromAroundThatIsTrueLeavesTheTripsKnown) {
  const OnnxModel model = Read(RepeatedWhile(true));
  EXPECT_THAT(Operators(model.graph), Not(Contains("Loop")));
  EXPECT_THAT(FirstOutput(model, {{2, 3}, {}}), ElementsAre(2, 3, 1, 5, 6, 4));
}

TEST(OnnxLoops, AConditionFromAroundThatIsFalseEndsTheLoop) {
  const OnnxModel model = Read(RepeatedWhile(false));
  EXPECT_THAT(FirstOutput(model, {{2, 3}, {}}), ElementsAre(3, 1, 2, 6, 4, 5));
}

TEST(OnnxLoops, OtherTripsAreCountedWhenTheGraphIsRun) {
  const OnnxModel model = Read(Repeated(0, true));
  EXPECT_THAT(Operators(model.graph), Contains("Loop"));
  EXPECT_THAT(WeightNames(model), ElementsAre("step.weight"));
  // The flag is 1.
  EXPECT_THAT(FirstOutput(model, {{2, 3}, {}}), ElementsAre(3, 1, 2, 6, 4, 5));
  EXPECT_EQ(FreeGroups(model), 0u);
}

TEST(OnnxLoops, ALoopWithoutAnEndIsReadButNotRun) {
  const OnnxModel model = Read(Repeated(int64_t{1} << 40));
  EXPECT_THAT(Operators(model.graph), Contains("Loop"));
  ExpectError(ErrorCode::kUnsupported, {"loops take more than"}, [&] {
    FirstOutput(model, {{2, 3}, {}});
  });
}

TEST(OnnxLoops, UnrollingIsBounded) {
  const OnnxModel model = Read(Repeated(100'000));
  EXPECT_LT(model.graph.nodes().size(), 100u);
}

TEST(OnnxSequences, PartsThatArePutTogetherAgainAreTensors) {
  OnnxBuilder builder;
  builder.Input("x", {2, 6});
  Ints(builder, "sizes", {1, 2, 3});
  Int(builder, "last", -1);
  Int(builder, "first", 0);
  SetInt(builder.Node("SplitToSequence", {"x", "sizes"}, {"parts"}), "axis", 1);
  builder.Node("SequenceAt", {"parts", "last"}, {"c"});
  builder.Node("SequenceAt", {"parts", "first"}, {"a"});
  builder.Node("SequenceConstruct", {"c", "a"}, {"two"});
  builder.Node("SequenceInsert", {"two", "a", "first"}, {"three"});
  SetInt(builder.Node("ConcatFromSequence", {"three"}, {"y"}), "axis", 1);
  builder.Output("y");
  const OnnxModel model = Read(builder);
  EXPECT_THAT(FirstOutput(model, {{2, 6}}),
              ElementsAre(1, 4, 5, 6, 1, 7, 10, 11, 12, 7));
  for (const std::string& op : Operators(model.graph)) {
    EXPECT_THAT(op, Not(HasSubstr("Sequence")));
  }
}

TEST(OnnxSequences, PartsOfAnOpenSizeAreSlices) {
  OnnxBuilder builder;
  builder.Input("x", {2, -1});
  Int(builder, "second", 1);
  auto& split = builder.Node("SplitToSequence", {"x"}, {"parts"});
  SetInt(split, "axis", 1);
  SetInt(split, "keepdims", 0);
  builder.Node("SequenceAt", {"parts", "second"}, {"y"});
  builder.Output("y");
  EXPECT_THAT(FirstOutput(Read(builder), {{2, 4}}), ElementsAre(2, 6));
}

TEST(OnnxSequences, OnesThatAreNotKnownAreFixedAndRun) {
  OnnxBuilder builder;
  builder.Input("x", {2, 6});
  builder.Input("which", {});
  auto& cast = builder.Node("Cast", {"which"}, {"index"});
  SetInt(cast, "to", TensorProto::INT64);
  builder.Weight("w.weight", {6, 4}, Counting(24));
  builder.Node("MatMul", {"x", "w.weight"}, {"h"});
  builder.Node("SequenceConstruct", {"h", "x"}, {"two"});
  builder.Node("SequenceAt", {"two", "index"}, {"y"});
  builder.Output("y");
  const OnnxModel model = Read(builder);
  EXPECT_EQ(FreeGroups(model), 0u);
  // The second one, x.
  EXPECT_THAT(FirstOutput(model, {{2, 6}, {}}),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
}

TEST(OnnxRoles, ConstantNodesAreWeightsIfTheirMatricesAre) {
  OnnxBuilder builder;
  builder.Input("x", {2, 3});
  Floats(builder, "w", {3, 5}, Counting(15));
  Floats(builder, "b", {5}, Counting(5));
  Floats(builder, "scale", {}, {2});
  builder.Node("MatMul", {"x", "w"}, {"h"});
  builder.Node("Add", {"h", "b"}, {"s"});
  builder.Node("Mul", {"s", "scale"}, {"y"});
  builder.Output("y");
  EXPECT_THAT(WeightNames(Read(builder)), ElementsAre("b", "w"));
  // Without them, a vector that is added is a number of the architecture.
  OnnxBuilder plain;
  plain.Input("x", {2, 5});
  Floats(plain, "mean", {5}, Counting(5));
  plain.Node("Sub", {"x", "mean"}, {"y"});
  plain.Output("y");
  EXPECT_THAT(WeightNames(Read(plain)), IsEmpty());
}

}  // namespace
}  // namespace rebasin
