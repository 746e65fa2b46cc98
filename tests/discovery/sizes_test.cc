// Graphs that leave sizes open, or were traced at one size: the symmetry found
// must hold at all sizes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "discovery/discovered.h"
#include "graph/builder.h"
#include "rebasin/discovery.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using testing::AxesOf;
using ::testing::ElementsAre;
using testing::FunctionDifferenceAt;
using ::testing::HasSubstr;

constexpr int64_t kWidth = 6;

// A size of a value, as a vector of one number.
ValueId SizeOf(GraphBuilder& b, ValueId x, int64_t axis) {
  return b.Add("Slice",
               {b.Add("Shape", {x}), b.Ints({axis}), b.Ints({axis + 1})});
}

ValueId Dense(GraphBuilder& b, const std::string& name, ValueId x,
              int64_t width) {
  return b.Add("MatMul", {x, b.Weight(name, {b.shape(x).back(), width})});
}

// x [batch, length, 6], made of inputs of width 4.
ValueId Sequence(GraphBuilder& b) {
  const ValueId x =
      b.Input("x", {2, kOpenSize, 4}, Kind::kFloat, {"", "length", ""});
  return Dense(b, "embed", x, kWidth);
}

// table[begin:end] along its first axis.
ValueId Rows(GraphBuilder& b, ValueId table, ValueId begin, ValueId end) {
  return b.Add("Slice", {table, begin, end, b.Ints({0})});
}

Graph Finish(GraphBuilder& b, ValueId x) {
  b.Output(Dense(b, "head", b.Add("Tanh", {x}), 3), "y");
  return b.Build();
}

void ExpectSameAtAllLengths(const Graph& graph, const Symmetry& symmetry) {
  for (int64_t length : {1, 2, 3, 4, 5, 7, 8, 11, 16}) {
    const auto difference =
        FunctionDifferenceAt(graph, symmetry, {{2, length, 4}}, 3);
    ASSERT_TRUE(difference) << length;
    EXPECT_LT(*difference, 1e-9) << "at length " << length;
  }
}

// What is fixed of an axis, and why.
std::vector<std::string> ReasonsOf(const Discovery& found,
                                   const std::string& weight, int axis) {
  std::vector<std::string> reasons;
  for (const FixedAxis& fixed : found.fixed) {
    if (fixed.weight != weight || fixed.axis != axis) continue;
    reasons.push_back(std::to_string(fixed.indices) + " " + fixed.reason);
  }
  return reasons;
}

TEST(OpenSizes, ATableThatIsCutToTheLengthKeepsItsRows) {
  GraphBuilder b;
  const ValueId x = Sequence(b);
  const ValueId table = b.Weight("positions", {20, kWidth});
  const ValueId rows = Rows(b, table, b.Ints({0}), SizeOf(b, x, 1));
  const Graph graph = Finish(b, b.Add("Add", {x, rows}));
  const Discovery found = Discover(graph);
  EXPECT_THAT(AxesOf(found.symmetry, "positions"), ElementsAre("20", "embed"));
  EXPECT_THAT(ReasonsOf(found, "positions", 0),
              ElementsAre("20 is cut to a size that depends on the inputs, by "
                          "Slice"));
  ExpectSameAtAllLengths(graph, found.symmetry);
}

TEST(OpenSizes, ATableThatIsCutFromTheEndKeepsItsRows) {
  GraphBuilder b;
  const ValueId x = Sequence(b);
  const ValueId table = b.Weight("positions", {20, kWidth});
  const ValueId begin = b.Add("Sub", {b.Ints({20}), SizeOf(b, x, 1)});
  const ValueId rows = Rows(b, table, begin, b.Ints({20}));
  const Graph graph = Finish(b, b.Add("Add", {x, rows}));
  const Discovery found = Discover(graph);
  EXPECT_THAT(AxesOf(found.symmetry, "positions"), ElementsAre("20", "embed"));
  ExpectSameAtAllLengths(graph, found.symmetry);
}

// Patches of 2 x 2, every 8 places, of images whose sizes are open.
ValueId Patches(GraphBuilder& b) {
  const ValueId x = b.Input("x", {2, 3, kOpenSize, kOpenSize}, Kind::kFloat,
                            {"", "", "height", "width"});
  return b.Add("Conv", {x, b.Weight("embed", {kWidth, 3, 2, 2})},
               {{"strides", std::vector<int64_t>{8, 8}}});
}

// An image of one patch meets every row of the table; an image of as many
// patches as rows meets each row once.
TEST(OpenSizes, ATableThatOnePatchIsBroadcastToKeepsItsRows) {
  for (const char* op : {"Add", "Mul", "Max"}) {
    GraphBuilder b;
    const ValueId patches = Patches(b);
    const ValueId flat = b.Add("Reshape", {patches, b.Ints({0, kWidth, -1})});
    const ValueId tokens =
        b.Add("Transpose", {flat}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
    const ValueId placed =
        b.Add(op, {tokens, b.Weight("positions", {1, 9, kWidth})});
    const ValueId mean =
        b.Add("ReduceMean", {b.Add("Tanh", {placed}), b.Ints({1})},
              {{"keepdims", int64_t{0}}});
    b.Output(Dense(b, "head", mean, 3), "y");
    const Graph graph = b.Build();
    const Discovery found = Discover(graph);
    EXPECT_THAT(AxesOf(found.symmetry, "positions"),
                ElementsAre("1", "9", "embed"));
    const auto difference =
        FunctionDifferenceAt(graph, found.symmetry, {{2, 3, 18, 18}}, 3);
    ASSERT_TRUE(difference) << op;
    EXPECT_LT(*difference, 1e-9) << op;
  }
}

// After the first table the height is fixed, and the width is still open.
TEST(OpenSizes, TwoTablesOneAfterTheOtherKeepTheirRows) {
  GraphBuilder b;
  const ValueId patches = Patches(b);
  const ValueId rows =
      b.Add("Add", {patches, b.Weight("rows", {1, kWidth, 3, 1})});
  const ValueId placed =
      b.Add("Add", {rows, b.Weight("columns", {1, kWidth, 1, 4})});
  const ValueId mean =
      b.Add("ReduceMean", {b.Add("Tanh", {placed}), b.Ints({2, 3})},
            {{"keepdims", int64_t{0}}});
  b.Output(Dense(b, "head", mean, 3), "y");
  const Graph graph = b.Build();
  const Discovery found = Discover(graph);
  EXPECT_THAT(AxesOf(found.symmetry, "rows"),
              ElementsAre("1", "embed", "3", "1"));
  EXPECT_THAT(AxesOf(found.symmetry, "columns"),
              ElementsAre("1", "embed", "1", "4"));
  const auto difference =
      FunctionDifferenceAt(graph, found.symmetry, {{2, 3, 18, 26}}, 3);
  ASSERT_TRUE(difference);
  EXPECT_LT(*difference, 1e-9);
}

// The memory's rows may stand in any order as long as all of them are used.
TEST(OpenSizes, RowsThatAttentionSumsOverStayFree) {
  GraphBuilder b;
  const ValueId x = Sequence(b);
  const ValueId memory = b.Weight("memory", {8, kWidth});
  const ValueId scores =
      b.Add("MatMul", {x, b.Add("Transpose", {memory},
                                {{"perm", std::vector<int64_t>{1, 0}}})});
  const ValueId mixed = b.Add(
      "MatMul", {b.Add("Softmax", {scores}), b.Weight("out", {8, kWidth})});
  const Graph graph = Finish(b, mixed);
  const Discovery found = Discover(graph);
  EXPECT_THAT(AxesOf(found.symmetry, "memory"), ElementsAre("memory", "embed"));
  ExpectSameAtAllLengths(graph, found.symmetry);
}

TEST(OpenSizes, RowsOfAMemoryThatTheLengthCutsAreFixed) {
  GraphBuilder b;
  const ValueId x = Sequence(b);
  // At length 4 the cut is at the border of the memory, at 2 inside it.
  const ValueId memory =
      b.Add("Expand", {b.Weight("memory", {1, 8, kWidth}), b.Ints({2, 1, 1})});
  const ValueId all = b.Add("Concat", {x, memory}, {{"axis", int64_t{1}}});
  const ValueId late =
      b.Add("Slice", {all, b.Ints({4}), b.Ints({1 << 30}), b.Ints({1})});
  const ValueId mean = b.Add("ReduceMean", {late, b.Ints({1})});
  const Graph graph = Finish(b, mean);
  const Discovery found = Discover(graph);
  EXPECT_THAT(AxesOf(found.symmetry, "memory"), ElementsAre("1", "8", "embed"));
  ExpectSameAtAllLengths(graph, found.symmetry);
}

TEST(OpenSizes, HiddenUnitsThatTheLengthSelectsAreFixed) {
  GraphBuilder b;
  const ValueId x = Sequence(b);
  const ValueId hidden = Dense(b, "wide", x, 16);
  const ValueId kept =
      b.Add("Slice", {hidden, b.Ints({0}), SizeOf(b, x, 1), b.Ints({2})});
  const ValueId sum = b.Add("ReduceSum", {kept, b.Ints({2})});
  const Graph graph = Finish(b, b.Add("Mul", {x, sum}));
  const Discovery found = Discover(graph);
  EXPECT_THAT(AxesOf(found.symmetry, "wide"), ElementsAre("embed", "16"));
  ExpectSameAtAllLengths(graph, found.symmetry);
}

TEST(OpenSizes, TheRowThatTheLengthChoosesIsNotAlone) {
  GraphBuilder b;
  const ValueId x = Sequence(b);
  const ValueId last = b.Add("Sub", {SizeOf(b, x, 1), b.Ints({1})});
  const ValueId row = b.Add("Gather", {b.Weight("rows", {16, kWidth}), last});
  const Graph graph = Finish(b, b.Add("Add", {x, row}));
  const Discovery found = Discover(graph);
  EXPECT_THAT(AxesOf(found.symmetry, "rows"), ElementsAre("16", "embed"));
  ExpectSameAtAllLengths(graph, found.symmetry);
}

// max(length, 16) is 16 at all sizes that discovery looks at first.
TEST(OpenSizes, ASizeThatIsTheSameAtSmallSizesIsNotAssumed) {
  GraphBuilder b;
  const ValueId x = Sequence(b);
  const ValueId size = b.Add("Max", {SizeOf(b, x, 1), b.Ints({16})});
  const ValueId table = b.Weight("table", {200, kWidth});
  const ValueId rows = Rows(b, table, b.Ints({0}), size);
  const ValueId sum = b.Add("ReduceSum", {rows, b.Ints({0})});
  const Graph graph = Finish(b, b.Add("Add", {x, sum}));
  const Discovery found = Discover(graph);
  EXPECT_THAT(AxesOf(found.symmetry, "table"), ElementsAre("200", "embed"));
  for (int64_t length : {4, 16, 17, 40, 100}) {
    const auto difference =
        FunctionDifferenceAt(graph, found.symmetry, {{2, length, 4}}, 3);
    ASSERT_TRUE(difference);
    EXPECT_LT(*difference, 1e-9) << "at length " << length;
  }
}

// [length, 4] read as [4, length]: where both are 4, nothing seems to happen.
TEST(OpenSizes, AxesThatCoincideAtOneSizeAreNotTakenForEachOther) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {kOpenSize, 4}, Kind::kFloat, {"length", ""});
  const ValueId hidden = Dense(b, "first", x, 4);
  const ValueId read =
      b.Add("Reshape", {hidden, b.Add("Concat", {b.Ints({4}), SizeOf(b, x, 0)},
                                      {{"axis", int64_t{0}}})});
  const ValueId back =
      b.Add("Transpose", {read}, {{"perm", std::vector<int64_t>{1, 0}}});
  b.Output(Dense(b, "second", back, 3), "y");
  const Graph graph = b.Build();
  const Discovery found = Discover(graph);
  for (int64_t length : {1, 2, 3, 4, 5, 8, 12}) {
    const auto difference =
        FunctionDifferenceAt(graph, found.symmetry, {{length, 4}}, 3);
    ASSERT_TRUE(difference);
    EXPECT_LT(*difference, 1e-9) << "at length " << length;
  }
}

TEST(TracedSizes, RowsBeyondTheTracedLengthAreFixed) {
  GraphBuilder b;
  const ValueId x = Dense(b, "embed", b.Input("x", {2, 4, 4}), kWidth);
  const ValueId table = b.Weight("positions", {20, kWidth});
  const ValueId rows = Rows(b, table, b.Ints({0}), b.Ints({4}));
  const Discovery found = Discover(Finish(b, b.Add("Add", {x, rows})));
  EXPECT_THAT(AxesOf(found.symmetry, "positions"), ElementsAre("20", "embed"));
  EXPECT_THAT(ReasonsOf(found, "positions", 0),
              ElementsAre("4 meets the graph input",
                          "16 is never read at the size of this graph"));
}

TEST(TracedSizes, RowsThatAreCutOffAfterADenseLayerAreFixed) {
  GraphBuilder b;
  const ValueId x = Dense(b, "embed", b.Input("x", {2, 4, 4}), kWidth);
  const ValueId table = Dense(b, "lift", b.Weight("table", {20, 5}), kWidth);
  const ValueId rows = Rows(b, table, b.Ints({0}), b.Ints({4}));
  const Discovery found = Discover(Finish(b, b.Add("Add", {x, rows})));
  EXPECT_THAT(AxesOf(found.symmetry, "table"), ElementsAre("20", "table"));
}

TEST(TracedSizes, QueriesThatNobodyReadsAreFixed) {
  GraphBuilder b;
  const ValueId x = Dense(b, "embed", b.Input("x", {2, 4, 4}), kWidth);
  const ValueId queries = b.Weight("queries", {10, kWidth});
  const auto parts =
      b.AddMany("Split", {queries, b.Ints({3, 7})}, {{"axis", int64_t{0}}}, 2);
  const ValueId scores =
      b.Add("MatMul", {x, b.Add("Transpose", {parts[0]},
                                {{"perm", std::vector<int64_t>{1, 0}}})});
  const ValueId sum = b.Add("ReduceMax", {scores, b.Ints({2})});
  const Discovery found = Discover(Finish(b, b.Add("Mul", {x, sum})));
  EXPECT_THAT(AxesOf(found.symmetry, "queries"),
              ElementsAre("queries+7", "embed"));
}

TEST(SelfProducts, AFlattenedSquareOfUnitsIsFixed) {
  GraphBuilder b;
  const ValueId h = Dense(b, "first", b.Input("x", {2, 4}), 5);
  const ValueId square = b.Add("Mul", {b.Add("Unsqueeze", {h, b.Ints({1})}),
                                       b.Add("Unsqueeze", {h, b.Ints({2})})});
  const ValueId flat = b.Add("Reshape", {square, b.Ints({2, 25})});
  const Graph graph = Finish(b, Dense(b, "second", flat, 4));
  const Discovery found = Discover(graph);
  EXPECT_THAT(AxesOf(found.symmetry, "second"), ElementsAre("25", "second"));
  EXPECT_THAT(ReasonsOf(found, "second", 0),
              ElementsAre("25 occurs twice on one axis"));
  testing::ExpectSameFunction(graph, found.symmetry);
}

TEST(SelfProducts, ADiagonalTakenByEinsumIsNoError) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2, 4});
  const ValueId square =
      b.Add("Einsum", {Dense(b, "first", x, 5), b.Weight("w", {5, 5})},
            {{"equation", std::string("bi,jj->bij")}});
  const ValueId flat = b.Add("Reshape", {square, b.Ints({2, 25})});
  const Graph graph = Finish(b, Dense(b, "second", flat, 4));
  const Discovery found = Discover(graph);
  testing::ExpectSameFunction(graph, found.symmetry);
}

// Rows of an input of eight, `more` behind the best of five scores.
Graph RowsBehindPositions(int64_t more) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {8, 4});
  const ValueId best = b.Add("ArgMax", {Dense(b, "router", x, 5)},
                             {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}});
  const ValueId where = b.Add("Add", {best, b.Int(more)});
  return Finish(b, Dense(b, "hidden", b.Add("Gather", {x, where}), 6));
}

// Two rows, the usual batch of a proof, do not have them all.
TEST(ComputedIndices, AreProvedAtTheSizeOfTheGraph) {
  const Graph graph = RowsBehindPositions(2);
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(graph).symmetry);
  const VerifyReport report = Verify(graph, testing::RandomWeights(graph, 1),
                                     Alignment::Random(symmetry, 2));
  EXPECT_TRUE(report.proved());
  EXPECT_EQ(report.input_shapes[0][0], Shape({8, 4}));
}

TEST(ComputedIndices, ThatLeadNowhereAreSaid) {
  const Graph graph = RowsBehindPositions(9);
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(graph).symmetry);
  try {
    Verify(graph, testing::RandomWeights(graph, 1),
           Alignment::Random(symmetry, 2));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("does not run with random weights"));
  }
}

// As in a pyramid of images whose coarsest level is a single point: positions
// are divided by its size less one.
TEST(Pyramids, AreProvedAtSizesThatGiveNumbers) {
  GraphBuilder b;
  const ValueId x = Sequence(b);
  const ValueId length = b.Add("Cast", {SizeOf(b, x, 1)}, {{"to", int64_t{1}}});
  const ValueId level = b.Add("Floor", {b.Add("Div", {length, b.Float(8)})});
  const ValueId steps = b.Add("Sub", {level, b.Float(1)});
  const ValueId scaled =
      b.Add("Div", {b.Add("Mul", {x, steps}), b.Add("Abs", {steps})});
  const Graph graph = Finish(b, scaled);
  const auto found = Discover(graph).symmetry;
  const VerifyReport report =
      Verify(graph, testing::RandomWeights(graph, 1),
             Alignment::Random(std::make_shared<const Symmetry>(found), 2));
  EXPECT_TRUE(report.proved());
  EXPECT_GT(found.Log10Order(), 2);
}

}  // namespace
}  // namespace rebasin
