// Each operator's law: what it ties, what it fixes, and that the symmetries
// found in small networks around it leave the function as it is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "discovery/discovered.h"
#include "graph/builder.h"
#include "rebasin/discovery.h"

namespace rebasin {
namespace {

using ::rebasin::testing::AxesOf;
using ::rebasin::testing::ExpectSameFunction;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Axes = std::vector<std::string>;

class RulesTest : public ::testing::Test {
 protected:
  // [2, 3, width], from an input of width 5, through a dense layer.
  ValueId Hidden(int64_t width, const std::string& name = "in") {
    return Dense(Input(5), name, width);
  }
  ValueId Input(int64_t width) {
    return b_.Input("x" + std::to_string(inputs_++), {2, 3, width});
  }
  ValueId Image(int64_t channels, const std::string& name = "in") {
    const ValueId x = b_.Input("x" + std::to_string(inputs_++), {2, 3, 6, 6});
    return Conv(x, name, channels, 3);
  }
  ValueId Dense(ValueId x, const std::string& name, int64_t width) {
    const int64_t in = b_.shape(x).back();
    return b_.Add("MatMul", {x, b_.Weight(name, {in, width})});
  }
  ValueId Conv(ValueId x, const std::string& name, int64_t channels,
               int64_t kernel = 1, int64_t groups = 1) {
    const int64_t in = b_.shape(x)[1] / groups;
    const ValueId w = b_.Weight(name, {channels, in, kernel, kernel});
    return b_.Add("Conv", {x, w}, {{"group", groups}});
  }
  ValueId Nonlinear(ValueId x) { return b_.Add("Tanh", {x}); }
  ValueId Reshape(ValueId x, std::vector<int64_t> shape) {
    return b_.Add("Reshape", {x, b_.Ints(std::move(shape))});
  }
  ValueId Transpose(ValueId x, std::vector<int64_t> order) {
    return b_.Add("Transpose", {x}, {{"perm", std::move(order)}});
  }
  ValueId Slice(ValueId x, int64_t axis, int64_t begin, int64_t end) {
    return b_.Add("Slice",
                  {x, b_.Ints({begin}), b_.Ints({end}), b_.Ints({axis})});
  }
  // A dense layer to the output.
  void Finish(ValueId x, const std::string& name = "out") {
    b_.Output(Dense(x, name, 4), "y");
  }
  void FinishImage(ValueId x, const std::string& name = "out") {
    b_.Output(Conv(x, name, 4), "y");
  }
  // Discovers, and proves by running.
  const Symmetry& Found() {
    graph_ = b_.Build();
    discovery_ = Discover(graph_);
    ExpectSameFunction(graph_, discovery_.symmetry);
    return discovery_.symmetry;
  }
  Axes Of(const std::string& weight) {
    return AxesOf(discovery_.symmetry, weight);
  }
  std::string Parent(const std::string& group) {
    const Symmetry& symmetry = discovery_.symmetry;
    const int parent = symmetry.groups()[symmetry.FindGroup(group)].parent;
    return parent == kNoGroup ? "" : symmetry.groups()[parent].name;
  }

  GraphBuilder b_;
  int inputs_ = 0;
  Graph graph_;
  Discovery discovery_;
};

TEST_F(RulesTest, MatMulTiesTheAxisItSumsOver) {
  Finish(Nonlinear(Hidden(6)));
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "in"));
  EXPECT_THAT(Of("out"), ElementsAre("in", "4"));
}

TEST_F(RulesTest, InputsAndOutputsAreFixedAndSaidToBe) {
  Finish(Hidden(6));
  Found();
  ASSERT_EQ(discovery_.fixed.size(), 2u);
  EXPECT_EQ(discovery_.fixed[0].reason, "meets the graph input");
  EXPECT_EQ(discovery_.fixed[0].cause, "x0");
  EXPECT_EQ(discovery_.fixed[1].reason, "reaches the graph output");
  EXPECT_EQ(discovery_.fixed[1].cause, "y");
}

TEST_F(RulesTest, GemmKnowsItsTransposesAndItsBias) {
  const ValueId x = b_.Input("x", {2, 5});
  const ValueId h =
      b_.Add("Gemm", {x, b_.Weight("w1", {6, 5}), b_.Weight("b1", {6})},
             {{"transB", int64_t{1}}});
  const ValueId y = b_.Add("Gemm", {Nonlinear(h), b_.Weight("w2", {6, 4})});
  b_.Output(y, "y");
  Found();
  EXPECT_THAT(Of("w1"), ElementsAre("w1", "5"));
  EXPECT_THAT(Of("b1"), ElementsAre("w1"));
  EXPECT_THAT(Of("w2"), ElementsAre("w1", "4"));
}

TEST_F(RulesTest, EinsumTiesEqualLetters) {
  const ValueId h = Hidden(6);
  const ValueId w = b_.Weight("w", {7, 6});
  const ValueId k =
      b_.Add("Einsum", {h, w}, {{"equation", std::string("bsi,oi->bso")}});
  Finish(Nonlinear(k));
  Found();
  EXPECT_THAT(Of("w"), ElementsAre("w", "in"));
  EXPECT_THAT(Of("out"), ElementsAre("w", "4"));
}

TEST_F(RulesTest, AdditionTiesBothBranches) {
  const ValueId h = Hidden(6);
  Finish(b_.Add("Add", {h, Nonlinear(Dense(h, "branch", 6))}));
  Found();
  EXPECT_THAT(Of("branch"), ElementsAre("in", "in"));
}

TEST_F(RulesTest, BroadcastingTiesOnlyAxesThatLieOnEachOther) {
  const ValueId h = Hidden(6);
  const ValueId bias = b_.Weight("bias", {6});
  const ValueId scale = b_.Weight("scale", {3, 1});
  Finish(b_.Add("Mul", {b_.Add("Add", {h, bias}), scale}));
  Found();
  EXPECT_THAT(Of("bias"), ElementsAre("in"));
  EXPECT_THAT(Of("scale"), ElementsAre("3", "1"));
}

TEST_F(RulesTest, PReluAndWhereTieTheirOperands) {
  const ValueId h = Hidden(6);
  const ValueId p = b_.Add("PRelu", {h, b_.Weight("slope", {6})});
  const ValueId positive = b_.Add("Greater", {h, b_.Weight("limit", {6})});
  Finish(b_.Add("Where", {positive, p, h}));
  Found();
  EXPECT_THAT(Of("slope"), ElementsAre("in"));
  EXPECT_THAT(Of("limit"), ElementsAre("in"));
}

TEST_F(RulesTest, ConstantsFixTheAxesAlongWhichTheyVary) {
  const ValueId h = Hidden(4);
  const ValueId table = b_.Constant(MakeArray(Kind::kFloat, {4}, {1, 2, 3, 4}));
  Finish(b_.Add("Mul", {h, table}));
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "4"));
}

TEST_F(RulesTest, ConstantsThatDoNotVaryFixNothing) {
  const ValueId h = Hidden(4);
  const ValueId table = b_.Constant(MakeArray(Kind::kFloat, {4}, {2, 2, 2, 2}));
  Finish(b_.Add("Mul", {h, table}));
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "in"));
}

TEST_F(RulesTest, ConvolutionTiesChannelsAndFixesTheWindow) {
  FinishImage(Nonlinear(Conv(Image(6), "mid", 8, 3)));
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("in", "3", "3", "3"));
  EXPECT_THAT(Of("mid"), ElementsAre("mid", "in", "3", "3"));
  EXPECT_THAT(Of("out"), ElementsAre("4", "mid", "1", "1"));
}

TEST_F(RulesTest, GroupedConvolutionPermutesWithinGroupsAndGroups) {
  FinishImage(Nonlinear(Conv(Nonlinear(Image(6)), "grouped", 9, 1, 3)));
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("in/0*in/1", "3", "3", "3"));
  EXPECT_THAT(Of("grouped"), ElementsAre("in/0*grouped", "in/1", "1", "1"));
  EXPECT_THAT(Of("out"), ElementsAre("4", "in/0*grouped", "1", "1"));
  EXPECT_EQ(Parent("in/1"), "in/0");
  EXPECT_EQ(Parent("grouped"), "in/0");
}

TEST_F(RulesTest, DepthwiseConvolutionTiesInAndOut) {
  FinishImage(Nonlinear(Conv(Image(6), "depthwise", 6, 3, 6)));
  Found();
  EXPECT_THAT(Of("depthwise"), ElementsAre("in", "1", "3", "3"));
  EXPECT_THAT(Of("out"), ElementsAre("4", "in", "1", "1"));
}

TEST_F(RulesTest, TransposedConvolutionHasItsAxesTheOtherWayRound) {
  const ValueId w = b_.Weight("up", {6, 5, 2, 2});
  FinishImage(Nonlinear(b_.Add("ConvTranspose", {Image(6), w},
                               {{"strides", std::vector<int64_t>{2, 2}}})));
  Found();
  EXPECT_THAT(Of("up"), ElementsAre("in", "up", "2", "2"));
  EXPECT_THAT(Of("out"), ElementsAre("4", "up", "1", "1"));
}

TEST_F(RulesTest, GroupedTransposedConvolution) {
  const ValueId w = b_.Weight("up", {6, 2, 2, 2});
  FinishImage(Nonlinear(
      b_.Add("ConvTranspose", {Image(6), w}, {{"group", int64_t{3}}})));
  Found();
  EXPECT_THAT(Of("up"), ElementsAre("in/0*in/1", "up", "2", "2"));
  EXPECT_THAT(Of("out"), ElementsAre("4", "in/0*up", "1", "1"));
  EXPECT_EQ(Parent("up"), "in/0");
}

TEST_F(RulesTest, BatchNormTiesItsParametersAndStatistics) {
  const ValueId x =
      b_.Add("BatchNormalization",
             {Image(6), b_.Weight("scale", {6}), b_.Weight("shift", {6}),
              b_.Weight("mean", {6}), b_.Weight("var", {6})});
  FinishImage(Nonlinear(x));
  Found();
  for (const char* name : {"scale", "shift", "mean", "var"}) {
    EXPECT_THAT(Of(name), ElementsAre("in")) << name;
  }
  EXPECT_TRUE(discovery_.symmetry.Find("var")->statistic);
  EXPECT_TRUE(discovery_.symmetry.Find("mean")->statistic);
  EXPECT_FALSE(discovery_.symmetry.Find("scale")->statistic);
}

TEST_F(RulesTest, LayerNormIsEquivariantAlongItsAxis) {
  const ValueId n =
      b_.Add("LayerNormalization",
             {Hidden(6), b_.Weight("scale", {6}), b_.Weight("shift", {6})});
  Finish(n);
  Found();
  EXPECT_THAT(Of("scale"), ElementsAre("in"));
  EXPECT_THAT(Of("out"), ElementsAre("in", "4"));
}

TEST_F(RulesTest, LayerNormInPiecesIsTheSame) {
  const ValueId h = Hidden(6);
  const ValueId axes = b_.Ints({-1});
  const ValueId centred = b_.Add("Sub", {h, b_.Add("ReduceMean", {h, axes})});
  const ValueId variance =
      b_.Add("ReduceMean", {b_.Add("Pow", {centred, b_.Float(2)}), axes});
  const ValueId deviation =
      b_.Add("Sqrt", {b_.Add("Add", {variance, b_.Float(1e-5)})});
  const ValueId normal = b_.Add("Div", {centred, deviation});
  Finish(b_.Add("Mul", {normal, b_.Weight("scale", {6})}));
  Found();
  EXPECT_THAT(Of("scale"), ElementsAre("in"));
}

TEST_F(RulesTest, InstanceNormTiesItsParameters) {
  FinishImage(
      b_.Add("InstanceNormalization",
             {Image(6), b_.Weight("scale", {6}), b_.Weight("shift", {6})}));
  Found();
  EXPECT_THAT(Of("scale"), ElementsAre("in"));
}

TEST_F(RulesTest, GroupNormPermutesChannelsWithinGroups) {
  const ValueId n =
      b_.Add("GroupNormalization",
             {Image(6), b_.Weight("scale", {3}), b_.Weight("shift", {3})},
             {{"num_groups", int64_t{3}}});
  FinishImage(n);
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("in/0*in/1", "3", "3", "3"));
  EXPECT_THAT(Of("scale"), ElementsAre("in/0"));
  EXPECT_EQ(Parent("in/1"), "in/0");
}

TEST_F(RulesTest, GroupNormAsExportersWriteItIsTheSame) {
  const ValueId x = Image(6);
  const ValueId ones = b_.Constant(MakeArray(Kind::kFloat, {3}, {1, 1, 1}));
  const ValueId zeros = b_.Constant(MakeArray(Kind::kFloat, {3}, {0, 0, 0}));
  const ValueId n =
      b_.Add("InstanceNormalization", {Reshape(x, {0, 3, -1}), ones, zeros});
  const ValueId y = Reshape(n, {2, 6, 4, 4});
  FinishImage(b_.Add("Mul", {y, b_.Weight("scale", {6, 1, 1})}));
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("in/0*in/1", "3", "3", "3"));
  EXPECT_THAT(Of("scale"), ElementsAre("in/0*in/1", "1", "1"));
  EXPECT_EQ(Parent("in/1"), "in/0");
}

TEST_F(RulesTest, SoftmaxIsEquivariantAlongItsAxis) {
  Finish(b_.Add("Softmax", {Hidden(6)}));
  Found();
  EXPECT_THAT(Of("out"), ElementsAre("in", "4"));
}

TEST_F(RulesTest, ReductionsForgetTheirAxis) {
  const ValueId h = Hidden(6);
  const ValueId sum = b_.Add("ReduceSum", {h, b_.Ints({2})});
  b_.Output(sum, "y");
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "in"));
}

TEST_F(RulesTest, PositionsAlongAnAxisFixIt) {
  const ValueId h = Hidden(6);
  b_.Output(b_.Add("CumSum", {h, b_.Int(2)}), "y");
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "6"));
  EXPECT_EQ(discovery_.fixed.back().reason,
            "is in an order that matters to CumSum");
}

TEST_F(RulesTest, ReversedSequencesPassFeaturesOnAndFixTime) {
  const ValueId h = Hidden(6);
  const ValueId moved = Transpose(h, {2, 1, 0});
  const ValueId lengths = b_.Input("lengths", {3}, Kind::kInteger);
  Finish(b_.Add("ReverseSequence", {h, lengths}));
  b_.Output(b_.Add("ReverseSequence", {moved, lengths}), "z");
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "6"));
}

TEST_F(RulesTest, FeaturesOfReversedSequencesAreFree) {
  const ValueId lengths = b_.Input("lengths", {3}, Kind::kInteger);
  Finish(b_.Add("ReverseSequence", {Nonlinear(Hidden(6)), lengths}));
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "in"));
  EXPECT_THAT(Of("out"), ElementsAre("in", "4"));
}

TEST_F(RulesTest, ArgMaxFixesItsAxis) {
  b_.Output(b_.Add("ArgMax", {Hidden(6)}, {{"axis", int64_t{2}}}), "y");
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "6"));
}

TEST_F(RulesTest, PoolingPassesChannelsOn) {
  const ValueId p = b_.Add("MaxPool", {Image(6)},
                           {{"kernel_shape", std::vector<int64_t>{2, 2}}});
  const ValueId g = b_.Add("GlobalAveragePool", {p});
  FinishImage(g);
  Found();
  EXPECT_THAT(Of("out"), ElementsAre("4", "in", "1", "1"));
}

// The places are counted over all channels.
TEST_F(RulesTest, PoolingThatTellsPlacesFixesChannels) {
  const auto pooled = b_.AddMany(
      "MaxPool", {Image(6)}, {{"kernel_shape", std::vector<int64_t>{2, 2}}}, 2);
  const ValueId places = b_.Add("Cast", {pooled[1]}, {{"to", int64_t{1}}});
  FinishImage(
      b_.Add("GlobalAveragePool", {b_.Add("Add", {pooled[0], places})}));
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("6", "3", "3", "3"));
}

TEST_F(RulesTest, FlatteningAfterAConvolutionIsAProduct) {
  const ValueId flat = b_.Add("Flatten", {Nonlinear(Image(6))});
  Finish(flat);
  Found();
  EXPECT_THAT(Of("out"), ElementsAre("in*16", "4"));
}

TEST_F(RulesTest, ConcatenationIsASum) {
  const ValueId x = Input(5);
  const ValueId a = Nonlinear(Dense(x, "a", 6));
  const ValueId c = Nonlinear(Dense(a, "c", 3));
  Finish(b_.Add("Concat", {a, c}, {{"axis", int64_t{-1}}}));
  Found();
  EXPECT_THAT(Of("out"), ElementsAre("a+c", "4"));
  EXPECT_THAT(Of("c"), ElementsAre("a", "c"));
}

TEST_F(RulesTest, SplittingGivesPartsThatArePermutedAlone) {
  const auto parts = b_.AddMany("Split", {Hidden(6), b_.Ints({2, 4})},
                                {{"axis", int64_t{-1}}}, 2);
  const ValueId a = Dense(parts[0], "a", 4);
  b_.Output(b_.Add("Add", {a, Dense(parts[1], "c", 4)}), "y");
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "in/0+in/1"));
  EXPECT_THAT(Of("a"), ElementsAre("in/0", "4"));
  EXPECT_THAT(Of("c"), ElementsAre("in/1", "4"));
}

TEST_F(RulesTest, GatesMadeBySlicingAreTied) {
  const ValueId h = Hidden(8);
  const ValueId gate = b_.Add("Sigmoid", {Slice(h, 2, 4, 8)});
  Finish(b_.Add("Mul", {Slice(h, 2, 0, 4), gate}));
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "2*in"));
  EXPECT_THAT(Of("out"), ElementsAre("in", "4"));
}

TEST_F(RulesTest, StridedSlicesKeepGroupsOfNeighbours) {
  const ValueId h = Hidden(6);
  const ValueId even = b_.Add(
      "Slice", {h, b_.Ints({0}), b_.Ints({6}), b_.Ints({2}), b_.Ints({2})});
  Finish(even);
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "in*2"));
}

TEST_F(RulesTest, StridesThatDoNotDivideTheAxisFixIt) {
  const ValueId h = Hidden(7);
  const ValueId even = b_.Add(
      "Slice", {h, b_.Ints({0}), b_.Ints({7}), b_.Ints({2}), b_.Ints({2})});
  Finish(even);
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "7"));
}

TEST_F(RulesTest, ReversedAxesAreFixed) {
  const ValueId h = Hidden(6);
  const ValueId back = b_.Add("Slice", {h, b_.Ints({-1}), b_.Ints({-100}),
                                        b_.Ints({2}), b_.Ints({-1})});
  Finish(back);
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "6"));
}

TEST_F(RulesTest, TableRowsAreFixedAndColumnsPassOn) {
  const ValueId ids = b_.Input("ids", {2, 3}, Kind::kInteger);
  const ValueId table = b_.Weight("table", {9, 6});
  const ValueId h = b_.Add("Gather", {table, ids});
  const ValueId y = b_.Add("MatMul", {Nonlinear(h), Transpose(table, {1, 0})});
  b_.Output(y, "y");
  Found();
  EXPECT_THAT(Of("table"), ElementsAre("9", "table"));
}

TEST_F(RulesTest, PaddingOnChannelsMakesSegments) {
  const ValueId x = Nonlinear(Image(4));
  const ValueId padded =
      b_.Add("Pad", {x, b_.Ints({0, 2, 0, 0, 0, 2, 0, 0}), b_.Float(0)});
  FinishImage(b_.Add("Add", {padded, Conv(x, "wide", 8)}));
  Found();
  EXPECT_THAT(Of("in")[0], "in");
  EXPECT_THAT(Of("wide"), ElementsAre("wide/0+in+wide/1", "in", "1", "1"));
  EXPECT_THAT(Of("out")[1], "wide/0+in+wide/1");
}

TEST_F(RulesTest, ResizingPassesChannelsOn) {
  const ValueId scales =
      b_.Constant(MakeArray(Kind::kFloat, {4}, {1, 1, 2, 2}));
  FinishImage(b_.Add("Resize", {Image(6), kNoValue, scales}));
  Found();
  EXPECT_THAT(Of("out")[1], "in");
}

TEST_F(RulesTest, DepthToSpaceTiesChannelsAcrossBlocks) {
  const ValueId y =
      b_.Add("DepthToSpace", {Image(12)},
             {{"blocksize", int64_t{2}}, {"mode", std::string("CRD")}});
  FinishImage(y);
  Found();
  EXPECT_THAT(Of("in")[0], "in*4");
  EXPECT_THAT(Of("out")[1], "in");
}

TEST_F(RulesTest, SpaceToDepthRepeatsChannels) {
  const ValueId y =
      b_.Add("SpaceToDepth", {Image(3)}, {{"blocksize", int64_t{2}}});
  FinishImage(y);
  Found();
  EXPECT_THAT(Of("out")[1], "4*in");
}

TEST_F(RulesTest, ExpandedAxesDoNotCareForOrder) {
  const ValueId token = b_.Weight("token", {1, 1, 6});
  const ValueId wide = b_.Add("Expand", {token, b_.Ints({2, 3, 6})});
  Finish(b_.Add("Add", {Hidden(6), wide}));
  Found();
  EXPECT_THAT(Of("token"), ElementsAre("1", "1", "token"));
}

TEST_F(RulesTest, TilingRepeatsAGroup) {
  const ValueId small = Hidden(3);
  const ValueId wide = b_.Add("Tile", {small, b_.Ints({1, 1, 2})});
  Finish(Nonlinear(wide));
  Found();
  EXPECT_THAT(Of("out"), ElementsAre("out*in", "4"));
}

TEST_F(RulesTest, UnknownOperatorsFixWhatTheyTouchAndAreListed) {
  graph_ = {};
  Value x{.name = "x",
          .role = Role::kInput,
          .shape = {2, 5},
          .symbols = {},
          .constant = {}};
  Value w{.name = "w",
          .role = Role::kWeight,
          .shape = {5, 6},
          .symbols = {},
          .constant = {}};
  Value h{.name = "h", .shape = {}, .symbols = {}, .constant = {}};
  Value y{.name = "y",
          .shape = {2, 6},
          .symbols = {},
          .declared = true,
          .constant = {}};
  Node product{.op = "MatMul",
               .name = "product",
               .inputs = {0, 1},
               .outputs = {2},
               .attributes = {}};
  Node strange{.op = "my::Strange",
               .name = "s",
               .inputs = {2},
               .outputs = {3},
               .attributes = {}};
  graph_ = Graph({x, w, h, y}, {product, strange}, {3});
  discovery_ = Discover(graph_);
  EXPECT_THAT(Of("w"), ElementsAre("5", "6"));
  EXPECT_THAT(discovery_.barriers, ElementsAre("my::Strange \"s\""));
  EXPECT_EQ(discovery_.fixed[1].reason,
            "passes through an operator without a rule, my::Strange");
}

TEST_F(RulesTest, ChannelsPassThroughGridSample) {
  const ValueId grid = b_.Input("grid", {2, 4, 5, 2});
  const ValueId image = Nonlinear(Image(6));
  b_.Output(Conv(b_.Add("GridSample", {image, grid}), "out", 2), "y");
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("in", "3", "3", "3"));
  EXPECT_THAT(Of("out"), ElementsAre("2", "in", "1", "1"));
}

TEST_F(RulesTest, PositionsOfAnImageThatIsSampledAreFixed) {
  const ValueId grid = b_.Input("grid", {2, 4, 5, 2});
  const ValueId x = Reshape(Hidden(6), {2, 1, 3, 6});
  b_.Output(b_.Add("GridSample", {x, grid}), "y");
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("5", "6"));
}

TEST_F(RulesTest, ChannelsPassThroughRoiAlign) {
  const ValueId boxes = b_.Input("boxes", {3, 4});
  const ValueId image = Nonlinear(Image(6));
  const ValueId rois =
      b_.Add("RoiAlign", {image, boxes, b_.Ints({0, 1, 0})},
             {{"output_height", int64_t{2}}, {"output_width", int64_t{2}}});
  b_.Output(Dense(Reshape(rois, {3, 24}), "out", 4), "y");
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("in", "3", "3", "3"));
  EXPECT_THAT(Of("out"), ElementsAre("in*4", "4"));
}

TEST_F(RulesTest, WeightsThatNothingReadsAreFixed) {
  b_.Weight("unused", {7});
  Finish(Hidden(6));
  Found();
  EXPECT_THAT(Of("unused"), ElementsAre("7"));
}

}  // namespace
}  // namespace rebasin
