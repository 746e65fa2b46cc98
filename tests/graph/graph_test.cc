#include "rebasin/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/interpreter.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;

Value Computed(std::string name) {
  Value value;
  value.name = std::move(name);
  return value;
}

Value GraphInput(std::string name) {
  Value value = Computed(std::move(name));
  value.role = Role::kInput;
  value.shape = {2};
  return value;
}

Node Unary(std::string op, ValueId in, ValueId out) {
  Node node;
  node.op = std::move(op);
  node.inputs = {in};
  node.outputs = {out};
  return node;
}

TEST(Graph, SortsNodesByWhatTheyDependOn) {
  const Graph graph({GraphInput("x"), Computed("y"), Computed("z")},
                    {Unary("Sigmoid", 1, 2), Unary("Relu", 0, 1)}, {2});
  EXPECT_EQ(graph.nodes()[0].op, "Relu");
  EXPECT_EQ(graph.nodes()[1].op, "Sigmoid");
}

TEST(Graph, RefusesCycles) {
  ExpectError(ErrorCode::kBadInput, {"depends on its own output"}, [] {
    Graph({Computed("y"), Computed("z")},
          {Unary("Relu", 0, 1), Unary("Relu", 1, 0)}, {1});
  });
}

TEST(Graph, RefusesValuesThatNothingProduces) {
  ExpectError(ErrorCode::kBadInput, {"which no node produces"}, [] {
    Graph({Computed("y"), Computed("z")}, {Unary("Relu", 0, 1)}, {1});
  });
}

TEST(Graph, RefusesValuesMadeTwice) {
  ExpectError(ErrorCode::kBadInput, {"produced twice"}, [] {
    Graph({GraphInput("x"), Computed("y")},
          {Unary("Relu", 0, 1), Unary("Relu", 0, 1)}, {1});
  });
}

TEST(Graph, RefusesMoreInputsThanAnOperatorHas) {
  Node node = Unary("Relu", 0, 1);
  node.inputs.push_back(kNoValue);
  EXPECT_NO_THROW(Graph({GraphInput("x"), Computed("y")}, {node}, {1}));
  node.inputs.push_back(0);
  ExpectError(ErrorCode::kBadInput, {"input 3", "at most 1"}, [&] {
    Graph({GraphInput("x"), Computed("y")}, {node}, {1});
  });
}

TEST(GraphBuilder, InfersShapesWhileBuilding) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {kOpenSize, 3}, Kind::kFloat, {"batch"});
  const ValueId w = builder.Weight("w", {3, 5});
  EXPECT_THAT(builder.shape(builder.Add("MatMul", {x, w})), ElementsAre(2, 5));
}

TEST(Interpreter, MultipliesMatrices) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 2});
  const ValueId w = builder.Weight("w", {2, 2});
  builder.Output(builder.Add("Relu", {builder.Add("MatMul", {x, w})}), "y");
  const Graph graph = builder.Build();
  const std::vector<Shape> shapes = {{1, 2}};
  const std::vector<Array> inputs = {MakeArray(Kind::kFloat, {1, 2}, {1, 2})};
  const auto outputs =
      RunGraph(graph, Infer(graph, shapes), inputs, [](const Value& weight) {
        return MakeArray(Kind::kFloat, weight.shape, {1, -2, 3, -4});
      });
  EXPECT_THAT(outputs[0].values(), ElementsAre(7, 0));
}

}  // namespace
}  // namespace rebasin
