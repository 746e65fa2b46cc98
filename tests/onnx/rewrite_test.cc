// Older forms of operators become those of opset 18.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "graph/interpreter.h"
#include "onnx/onnx.h"
#include "support/expect_error.h"
#include "support/onnx_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

Graph ReadGraph(const OnnxBuilder& builder) {
  const TempDir dir;
  return ReadOnnx(dir.Write("m.onnx", builder.Bytes())).graph;
}

// x [2, 3, 4] -> op -> y, in an old opset.
struct OneNode {
  OneNode(const std::string& op, int64_t opset,
          std::vector<std::string> inputs = {"x"},
          std::vector<std::string> outputs = {"y"})
      : builder(opset) {
    builder.Input("x", {2, 3, 4});
    node = &builder.Node(op, inputs, outputs);
    for (const auto& output : outputs) builder.Output(output);
  }

  Graph Read() const { return ReadGraph(builder); }

  OnnxBuilder builder;
  onnx::NodeProto* node;
};

// The numbers of a constant input of the only node.
std::vector<double> InputOf(const Graph& graph, size_t input) {
  const Node& node = graph.nodes()[0];
  if (input >= node.inputs.size() || node.inputs[input] == kNoValue) return {};
  const Value& value = graph.values()[node.inputs[input]];
  if (value.role != Role::kConstant) return {};
  return value.constant.values();
}

Shape ShapeOfInput(const Graph& graph, size_t input) {
  return graph.values()[graph.nodes()[0].inputs[input]].shape;
}

struct Moved {
  const char* op;
  const char* attribute;
  std::vector<int64_t> value;
  size_t input;
  int64_t opset;  // the last with the attribute
};

void PrintTo(const Moved& row, std::ostream* out) { *out << row.op; }

class MovedAttribute : public ::testing::TestWithParam<Moved> {};

TEST_P(MovedAttribute, BecomesAnInput) {
  const Moved& row = GetParam();
  OneNode model(row.op, row.opset);
  SetInts(*model.node, row.attribute, row.value);
  const Graph graph = model.Read();
  EXPECT_THAT(InputOf(graph, row.input), ElementsAreArray(row.value));
  EXPECT_FALSE(graph.nodes()[0].attributes.contains(row.attribute));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, MovedAttribute,
    ::testing::Values(Moved{"Squeeze", "axes", {0}, 1, 12},
                      Moved{"Unsqueeze", "axes", {0, 2}, 1, 12},
                      Moved{"ReduceSum", "axes", {1}, 1, 12},
                      Moved{"ReduceMean", "axes", {1}, 1, 17},
                      Moved{"ReduceMax", "axes", {1}, 1, 17},
                      Moved{"ReduceMin", "axes", {1}, 1, 17},
                      Moved{"ReduceProd", "axes", {1}, 1, 17},
                      Moved{"ReduceL1", "axes", {1}, 1, 17},
                      Moved{"ReduceL2", "axes", {1}, 1, 17},
                      Moved{"ReduceLogSum", "axes", {1}, 1, 17},
                      Moved{"ReduceLogSumExp", "axes", {1}, 1, 17},
                      Moved{"ReduceSumSquare", "axes", {1}, 1, 17},
                      Moved{"Split", "split", {1, 1}, 1, 12},
                      Moved{"Slice", "starts", {1}, 1, 9},
                      Moved{"Slice", "ends", {2}, 2, 9},
                      Moved{"Slice", "axes", {0}, 3, 9},
                      Moved{"Pad", "pads", {0, 0, 1, 0, 0, 1}, 1, 10}),
    [](const auto& row) {
      return std::string(row.param.op) + "_" + row.param.attribute;
    });

TEST(Rewrite, LeavesNewFormsAlone) {
  OneNode model("ReduceMean", 18, {"x", "axes"});
  model.builder.Tensor("axes", {1}, onnx::TensorProto::INT64).add_int64_data(1);
  EXPECT_THAT(InputOf(model.Read(), 1), ElementsAre(1));
}

TEST(Rewrite, ClipHasScalarLimits) {
  OneNode model("Clip", 10);
  SetFloat(*model.node, "max", 6);
  const Graph graph = model.Read();
  EXPECT_EQ(graph.nodes()[0].inputs[1], kNoValue);
  EXPECT_THAT(InputOf(graph, 2), ElementsAre(6));
  EXPECT_THAT(ShapeOfInput(graph, 2), IsEmpty());
}

TEST(Rewrite, PadAndDropoutHaveTheirNumbers) {
  OneNode pad("Pad", 10);
  SetFloat(*pad.node, "value", 2.5);
  EXPECT_THAT(InputOf(pad.Read(), 2), ElementsAre(2.5));
  OneNode dropout("Dropout", 11);
  SetFloat(*dropout.node, "ratio", 0.5);
  EXPECT_THAT(InputOf(dropout.Read(), 1), ElementsAre(0.5));
}

TEST(Rewrite, TopKHasAVectorOfOneNumber) {
  OneNode model("TopK", 9, {"x"}, {"y", "z"});
  SetInt(*model.node, "k", 2);
  const Graph graph = model.Read();
  EXPECT_THAT(InputOf(graph, 1), ElementsAre(2));
  EXPECT_THAT(ShapeOfInput(graph, 1), ElementsAre(1));
}

TEST(Rewrite, UpsampleBecomesResize) {
  OneNode model("Upsample", 9, {"x", "scales"});
  model.builder.Weight("scales", {3}, {1, 2, 2});
  SetString(*model.node, "mode", "nearest");
  const Graph graph = model.Read();
  const Node& node = graph.nodes()[0];
  EXPECT_EQ(node.op, "Resize");
  ASSERT_EQ(node.inputs.size(), 3);
  EXPECT_EQ(node.inputs[1], kNoValue);
  EXPECT_EQ(graph.values()[node.inputs[2]].name, "scales");
  EXPECT_EQ(std::get<std::string>(node.attributes.at("nearest_mode")), "floor");
}

TEST(Rewrite, SplitIntoEqualPartsSaysHowMany) {
  OneNode model("Split", 13, {"x"}, {"y", "z"});
  const Graph graph = model.Read();
  EXPECT_EQ(std::get<int64_t>(graph.nodes()[0].attributes.at("num_outputs")),
            2);
}

TEST(Rewrite, ScatterBecomesScatterElements) {
  OneNode model("Scatter", 9, {"x", "x", "x"});
  EXPECT_EQ(model.Read().nodes()[0].op, "ScatterElements");
}

TEST(Rewrite, BatchNormalizationIsThatOfEvaluation) {
  OneNode model("BatchNormalization", 14, {"x", "s", "s", "s", "s"},
                {"y", "mean", "var"});
  model.builder.graph().mutable_output()->DeleteSubrange(1, 2);
  model.builder.Weight("s", {3}, {1, 2, 3});
  SetInt(*model.node, "training_mode", 0);
  const Graph graph = model.Read();
  EXPECT_FALSE(graph.nodes()[0].attributes.contains("training_mode"));
  EXPECT_THAT(graph.nodes()[0].outputs,
              ElementsAre(::testing::Ne(kNoValue), kNoValue, kNoValue));
}

TEST(Rewrite, BatchNormalizationOfTrainingIsRefused) {
  OneNode model("BatchNormalization", 14, {"x", "s", "s", "s", "s"}, {"y"});
  model.builder.Weight("s", {3}, {1, 2, 3});
  SetInt(*model.node, "training_mode", 1);
  ExpectError(ErrorCode::kUnsupported, {"BatchNormalization", "training mode"},
              [&] { model.Read(); });
}

struct DropoutCase {
  bool training;
  float ratio;
  bool refused;
};

TEST(Rewrite, DropoutOfTrainingIsRefusedUnlessItDropsNothing) {
  for (const DropoutCase& row :
       {DropoutCase{false, 0.5f, false}, DropoutCase{true, 0.5f, true},
        DropoutCase{true, 0, false}}) {
    OneNode model("Dropout", 13, {"x", "onnx::Dropout_1", "training"});
    model.builder.Tensor("onnx::Dropout_1", {}, onnx::TensorProto::FLOAT)
        .add_float_data(row.ratio);
    model.builder.Tensor("training", {}, onnx::TensorProto::BOOL)
        .add_int32_data(row.training ? 1 : 0);
    if (!row.refused) {
      EXPECT_EQ(model.Read().nodes().size(), 1);
      continue;
    }
    ExpectError(ErrorCode::kUnsupported, {"Dropout", "training mode"},
                [&] { model.Read(); });
  }
}

std::vector<std::string> Ops(const Graph& graph) {
  std::vector<std::string> ops;
  for (const Node& node : graph.nodes()) ops.push_back(node.op);
  return ops;
}

TEST(Rewrite, OldSoftmaxOnTheLastAxisStaysOneNode) {
  OneNode model("Softmax", 11);
  SetInt(*model.node, "axis", 2);
  const Graph graph = model.Read();
  EXPECT_THAT(Ops(graph), ElementsAre("Softmax"));
  EXPECT_EQ(std::get<int64_t>(graph.nodes()[0].attributes.at("axis")), -1);
}

TEST(Rewrite, OldSoftmaxFlattensElsewhere) {
  OneNode model("LogSoftmax", 11);  // the axis was 1 unless stated
  const Graph graph = model.Read();
  EXPECT_THAT(Ops(graph),
              ElementsAre("Shape", "Flatten", "LogSoftmax", "Reshape"));
  EXPECT_EQ(std::get<int64_t>(graph.nodes()[1].attributes.at("axis")), 1);
  EXPECT_EQ(graph.values()[graph.outputs()[0]].name, "y");
}

TEST(Rewrite, FlattenedSoftmaxSumsToOneOverAllThatFollows) {
  OneNode model("Softmax", 11);
  SetInt(*model.node, "axis", 1);
  const Graph graph = model.Read();
  std::vector<double> numbers(24);
  std::iota(numbers.begin(), numbers.end(), -12.0);
  const std::vector<Shape> shapes = {{2, 3, 4}};
  const std::vector<Array> inputs = {
      MakeArray(Kind::kFloat, shapes[0], numbers)};
  const Array y = RunGraph(graph, Infer(graph, shapes), inputs, {})[0];
  EXPECT_EQ(y.shape, shapes[0]);
  const auto middle = y.values().begin() + 12;
  EXPECT_NEAR(std::accumulate(y.values().begin(), middle, 0.0), 1, 1e-12);
  EXPECT_NEAR(std::accumulate(middle, y.values().end(), 0.0), 1, 1e-12);
}

TEST(Rewrite, NewSoftmaxIsLeftAlone) {
  OneNode model("Softmax", 13);
  SetInt(*model.node, "axis", 1);
  EXPECT_THAT(Ops(model.Read()), ElementsAre("Softmax"));
}

}  // namespace
}  // namespace rebasin
