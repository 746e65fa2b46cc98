// Sites of small graphs, each with one thing to find or to leave out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/builder.h"
#include "rebasin/repair.h"
#include "repair/running.h"
#include "zoo/layers.h"

namespace rebasin {
namespace {

using ::rebasin::testing::ExpectCorrected;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kBatch = 2;

ValueId Images(GraphBuilder& g, int64_t channels = 3) {
  return g.Input("input", {kBatch, channels, 4, 4});
}

Graph Finish(GraphBuilder& g, ValueId output) {
  g.Output(output, "output");
  return g.Build();
}

// The sites, each put to the test by running.
std::vector<RepairSite> ProvenSites(const Graph& graph) {
  const std::vector<RepairSite> sites = RepairSites(graph);
  for (const RepairSite& site : sites) ExpectCorrected(graph, site, 1);
  return sites;
}

TEST(Sites, ConvolutionScalesItsFirstAxisAndBias) {
  GraphBuilder g;
  const ValueId y = zoo::Conv2d(g, "c", Images(g), 5, {.bias = true});
  const Graph graph = Finish(g, y);
  const auto sites = ProvenSites(graph);
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_EQ(sites[0].value, y);
  EXPECT_EQ(sites[0].channel_axis, 1);
  EXPECT_EQ(sites[0].channels, 5);
  EXPECT_THAT(sites[0].scaled,
              ElementsAre(WeightAxis{"c.weight", 0}, WeightAxis{"c.bias", 0}));
  EXPECT_EQ(sites[0].shifted, (WeightAxis{"c.bias", 0}));
  EXPECT_EQ(graph.nodes()[sites[0].node].op, "Conv");
  EXPECT_EQ(sites[0].depth, 1);
  EXPECT_TRUE(sites[0].is_output);
}

TEST(Sites, WithoutBiasThereIsNoShift) {
  GraphBuilder g;
  const ValueId y = zoo::Conv2d(g, "c", Images(g), 5);
  const auto sites = ProvenSites(Finish(g, y));
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_FALSE(sites[0].can_shift());
  EXPECT_THAT(sites[0].scaled, ElementsAre(WeightAxis{"c.weight", 0}));
}

TEST(Sites, GroupedConvolutionIsNoDifferent) {
  GraphBuilder g;
  const ValueId y =
      zoo::Conv2d(g, "c", Images(g, 4), 6, {.groups = 2, .bias = true});
  EXPECT_THAT(ProvenSites(Finish(g, y)), SizeIs(1));
}

ValueId TransposedConvolution(GraphBuilder& g, int64_t groups) {
  return g.Add(
      "ConvTranspose",
      {Images(g, 4), g.Weight("w", {4, 6 / groups, 2, 2}), g.Weight("b", {6})},
      {{"kernel_shape", Shape{2, 2}}, {"group", groups}});
}

TEST(Sites, TransposedConvolutionHasItsChannelsOnTheSecondAxis) {
  GraphBuilder g;
  const ValueId y = TransposedConvolution(g, 1);
  const auto sites = ProvenSites(Finish(g, y));
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_THAT(sites[0].scaled,
              ElementsAre(WeightAxis{"w", 1}, WeightAxis{"b", 0}));
}

TEST(Sites, TransposedConvolutionInGroupsIsLeftOut) {
  GraphBuilder g;
  const ValueId y = TransposedConvolution(g, 2);
  EXPECT_THAT(RepairSites(Finish(g, y)), IsEmpty());
}

std::vector<RepairSite> GemmSites(bool transposed, const Shape& bias,
                                  double beta = 1) {
  GraphBuilder g;
  const ValueId x = g.Input("input", {kBatch, 3});
  const Shape shape = transposed ? Shape{4, 3} : Shape{3, 4};
  const ValueId y =
      g.Add("Gemm", {x, g.Weight("w", shape), g.Weight("b", bias)},
            {{"transB", int64_t{transposed}}, {"beta", beta}});
  return ProvenSites(Finish(g, y));
}

TEST(Sites, GemmHasItsChannelsWhereTransBSays) {
  EXPECT_EQ(GemmSites(true, {4}).at(0).scaled[0], (WeightAxis{"w", 0}));
  EXPECT_EQ(GemmSites(false, {4}).at(0).scaled[0], (WeightAxis{"w", 1}));
  EXPECT_EQ(GemmSites(false, {1, 4}).at(0).shifted, (WeightAxis{"b", 1}));
}

TEST(Sites, GemmThatScalesItsBiasCanOnlyBeScaled) {
  const auto sites = GemmSites(true, {4}, 0.5);
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_FALSE(sites[0].can_shift());
  EXPECT_THAT(sites[0].scaled, SizeIs(2));
}

TEST(Sites, BiasThatIsNotOneNumberAChannelMakesNoSite) {
  EXPECT_THAT(GemmSites(true, {}), IsEmpty());
  EXPECT_THAT(GemmSites(true, {2, 4}), IsEmpty());
}

TEST(Sites, ProductAndAddAreOneSite) {
  GraphBuilder g;
  const ValueId x = g.Input("input", {kBatch, 5, 3});
  const ValueId y = zoo::Linear(g, "fc", x, 4);
  const Graph graph = Finish(g, y);
  const auto sites = ProvenSites(graph);
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_EQ(sites[0].value, y);
  EXPECT_EQ(sites[0].channel_axis, 2);
  EXPECT_EQ(graph.nodes()[sites[0].node].op, "MatMul");
  EXPECT_THAT(sites[0].scaled, ElementsAre(WeightAxis{"fc.weight", 0},
                                           WeightAxis{"fc.bias", 0}));
}

TEST(Sites, WeightMayBeTheLeftFactor) {
  GraphBuilder g;
  const ValueId x = g.Input("input", {kBatch, 3, 5});
  const ValueId y = g.Add("MatMul", {g.Weight("w", {4, 3}), x});
  const ValueId biased = g.Add("Add", {g.Weight("b", {4, 1}), y});
  const auto sites = ProvenSites(Finish(g, biased));
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_EQ(sites[0].channel_axis, 1);
  EXPECT_THAT(sites[0].scaled,
              ElementsAre(WeightAxis{"w", 0}, WeightAxis{"b", 0}));
}

TEST(Sites, LooksThroughViewsOfWeights) {
  GraphBuilder g;
  const ValueId x = Images(g);
  const ValueId flat = g.Weight("w", {5, 27});
  const ValueId kernel = zoo::Reshape(g, flat, {5, 3, 3, 3});
  const ValueId y = g.Add("Conv", {x, g.Add("Identity", {kernel})},
                          {{"kernel_shape", Shape{3, 3}}});
  const ValueId b = g.Add("Unsqueeze", {g.Weight("b", {5}), g.Ints({0, 2, 3})});
  const auto sites = ProvenSites(Finish(g, zoo::Plus(g, y, b)));
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_THAT(sites[0].scaled,
              ElementsAre(WeightAxis{"w", 0}, WeightAxis{"b", 0}));
}

TEST(Sites, WeightThatWasComputedIsLeftOut) {
  GraphBuilder g;
  const ValueId w = g.Add("Mul", {g.Weight("w", {3, 4}), g.Weight("s", {4})});
  const ValueId y = g.Add("MatMul", {g.Input("input", {kBatch, 3}), w});
  EXPECT_THAT(RepairSites(Finish(g, y)), IsEmpty());
}

TEST(Sites, TiedWeightsAreLeftOut) {
  GraphBuilder g;
  ValueId x = g.Input("input", {kBatch, 4});
  x = zoo::Relu(g, zoo::Linear(g, "shared", x, 4));
  x = zoo::Relu(g, zoo::Linear(g, "shared", x, 4));
  x = zoo::Linear(g, "own", x, 3);
  const auto sites = ProvenSites(Finish(g, x));
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_EQ(sites[0].scaled[0].weight, "own.weight");
  EXPECT_EQ(sites[0].depth, 3);
}

TEST(Sites, ValueThatGoesElsewhereBeforeItsBiasIsLeftOut) {
  GraphBuilder g;
  const ValueId x = g.Input("input", {kBatch, 5, 3});
  const ValueId y = g.Add("MatMul", {x, g.Weight("w", {3, 4})});
  const ValueId biased = zoo::Plus(g, y, g.Weight("b", {4}));
  EXPECT_THAT(RepairSites(Finish(g, zoo::Times(g, biased, y))), IsEmpty());
}

TEST(Sites, ProductOfDataIsNone) {
  GraphBuilder g;
  const ValueId x = g.Input("input", {kBatch, 3, 3});
  EXPECT_THAT(RepairSites(Finish(g, g.Add("MatMul", {x, x}))), IsEmpty());
}

TEST(Sites, DepthIsThatOfTheLongestPath) {
  GraphBuilder g;
  const ValueId x = zoo::Conv2d(g, "first", Images(g), 3);
  const ValueId y = zoo::Relu(g, zoo::Conv2d(g, "second", x, 3));
  const ValueId sum = zoo::Plus(g, x, y);
  const ValueId z = zoo::Conv2d(g, "third", sum, 3);
  const auto sites = ProvenSites(Finish(g, z));
  ASSERT_THAT(sites, SizeIs(3));
  EXPECT_EQ(sites[2].depth, 3);
  EXPECT_FALSE(sites[0].is_output);
  EXPECT_FALSE(sites[1].is_output);
  EXPECT_TRUE(sites[2].is_output);
}

}  // namespace
}  // namespace rebasin
