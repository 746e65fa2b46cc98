#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/run_op.h"
#include "support/expect_error.h"

namespace rebasin::testing {
namespace {

using ::testing::ElementsAre;

ValueId Conv(GraphBuilder& builder, ValueId x, const std::string& name,
             int64_t in, int64_t out, int64_t stride) {
  const ValueId weight = builder.Weight(name, {out, in, 3, 3});
  return builder.Add(
      "Conv", {x, weight},
      {{"pads", List({1, 1, 1, 1})}, {"strides", List({stride, stride})}});
}

Graph Classifier(Shape input, bool global_pool) {
  GraphBuilder builder;
  ValueId x = builder.Input("x", std::move(input));
  x = Conv(builder, x, "conv", 3, 4, 2);
  if (global_pool) x = builder.Add("GlobalAveragePool", {x});
  x = builder.Add("Flatten", {x});
  const ValueId weight = builder.Weight("fc", {builder.shape(x)[1], 10});
  builder.Output(builder.Add("MatMul", {x, weight}), "y");
  return builder.Build();
}

// A graph whose input leaves its spatial sizes open, with a weight that fits
// one size only.
Graph OpenImage(int64_t features) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {kOpenSize, 1, kOpenSize}, Kind::kFloat,
                                  {"batch", "", "length"});
  builder.Output(x, "y");
  Graph graph = builder.Build();
  std::vector<Value> values = graph.values();
  Value weight;
  weight.name = "w";
  weight.role = Role::kWeight;
  weight.shape = {features, 3};
  values.push_back(weight);
  values.emplace_back().name = "y";
  Node node;
  node.op = "MatMul";
  node.inputs = {0, 1};
  node.outputs = {2};
  return Graph(std::move(values), {node}, {2});
}

TEST(DefaultInputShapes, KeepsSizesThatAreStated) {
  const Graph graph = Classifier({7, 3, 32, 32}, true);
  EXPECT_THAT(DefaultInputShapes(graph), ElementsAre(Shape({7, 3, 32, 32})));
}

TEST(DefaultInputShapes, TriesOpenSizesUntilTheGraphFits) {
  EXPECT_THAT(DefaultInputShapes(OpenImage(64)),
              ElementsAre(Shape({2, 1, 64})));
}

TEST(DefaultInputShapes, SaysWhatIsWrongIfNothingFits) {
  ExpectError(ErrorCode::kBadInput, {"cannot be multiplied"},
              [] { DefaultInputShapes(OpenImage(5)); });
}

TEST(DefaultInputShapes, GivesTheSameSymbolTheSameSize) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {kOpenSize, kOpenSize}, Kind::kFloat,
                                  {"batch", "length"});
  const ValueId mask = builder.Input("mask", {kOpenSize, kOpenSize},
                                     Kind::kFloat, {"length", "batch"});
  builder.Output(builder.Add("MatMul", {x, mask}), "y");
  // Both symbols name a first axis, so both count as batches.
  EXPECT_THAT(DefaultInputShapes(builder.Build()),
              ElementsAre(Shape({2, 2}), Shape({2, 2})));
}

TEST(DefaultInputShapes, FallsBackToABatchOfOne) {
  GraphBuilder builder;
  const ValueId x =
      builder.Input("x", {kOpenSize, 3}, Kind::kFloat, {"batch", ""});
  builder.Output(x, "y");
  Graph graph = builder.Build();
  std::vector<Value> values = graph.values();
  Value shape;
  shape.name = "shape";
  shape.role = Role::kConstant;
  shape.kind = Kind::kInteger;
  shape.shape = {2};
  shape.constant = Integers({1, 3});
  values.push_back(shape);
  values.emplace_back().name = "y";
  Node node;
  node.op = "Reshape";
  node.inputs = {0, 1};
  node.outputs = {2};
  EXPECT_THAT(DefaultInputShapes(Graph(std::move(values), {node}, {2})),
              ElementsAre(Shape({1, 3})));
}

TEST(SmallInputShapes, ShrinksImagesAndBatches) {
  EXPECT_THAT(SmallInputShapes(Classifier({8, 3, 224, 224}, true)),
              ElementsAre(Shape({2, 3, 8, 8})));
}

TEST(SmallInputShapes, KeepsImagesThatTheWeightsDependOn) {
  EXPECT_THAT(SmallInputShapes(Classifier({1, 3, 32, 32}, false)),
              ElementsAre(Shape({1, 3, 32, 32})));
}

TEST(SmallInputShapes, KeepsOutputsThatAreNotImages) {
  GraphBuilder builder;
  ValueId x = builder.Input("x", {2, 3, 32, 32});
  builder.Output(builder.Add("Flatten", {x}), "y");
  EXPECT_THAT(SmallInputShapes(builder.Build()),
              ElementsAre(Shape({2, 3, 32, 32})));
}

TEST(SmallInputShapes, ShrinksImagesThatStayImages) {
  GraphBuilder builder;
  ValueId x = builder.Input("x", {2, 3, 64, 96});
  builder.Output(Conv(builder, x, "conv", 3, 4, 1), "y");
  EXPECT_THAT(SmallInputShapes(builder.Build()),
              ElementsAre(Shape({2, 3, 8, 8})));
}

TEST(SmallInputShapes, AcceptsConstantsWithoutElements) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {2, 3, 32, 32});
  const ValueId roi = builder.Constant(Floats({0}, {}));
  const ValueId scales = builder.Constant(Floats({4}, {1, 1, 2, 2}));
  builder.Output(builder.Add("Resize", {x, roi, scales}), "y");
  EXPECT_THAT(SmallInputShapes(builder.Build()),
              ElementsAre(Shape({2, 3, 8, 8})));
}

TEST(SmallInputShapes, ShrinksSequencesOfTokens) {
  GraphBuilder builder;
  const ValueId tokens = builder.Input("x", {1, 128}, Kind::kInteger);
  builder.Output(
      builder.Add("Gather", {builder.Weight("embedding", {100, 8}), tokens}),
      "y");
  EXPECT_THAT(SmallInputShapes(builder.Build()), ElementsAre(Shape({1, 6})));
}

// Rows of the input at the positions of the best of four scores.
Graph RowsAtPositions(int64_t batch) {
  GraphBuilder builder;
  const ValueId x = builder.Input("x", {batch, 6}, Kind::kFloat, {"n", ""});
  const ValueId scores =
      builder.Add("MatMul", {x, builder.Weight("router", {6, 4})});
  const auto best = builder.AddMany("TopK", {scores, builder.Ints({1})}, {}, 2);
  const ValueId rows = builder.Add("Unsqueeze", {best[1], builder.Ints({0})});
  builder.Output(builder.Add("Gather", {x, rows}), "y");
  return builder.Build();
}

TEST(SmallInputShapes, KeepsWhatPositionsAreLookedUpIn) {
  EXPECT_THAT(SmallInputShapes(RowsAtPositions(4)), ElementsAre(Shape({4, 6})));
  EXPECT_THAT(SmallInputShapes(RowsAtPositions(9)), ElementsAre(Shape({9, 6})));
}

TEST(DefaultInputShapes, BatchesAreAsLongAsPositionsReach) {
  EXPECT_THAT(DefaultInputShapes(RowsAtPositions(kOpenSize)),
              ElementsAre(Shape({4, 6})));
}

}  // namespace
}  // namespace rebasin::testing
