// Norms as sites, and norms that are found wherever they hide.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/builder.h"
#include "rebasin/repair.h"
#include "rebasin/zoo.h"
#include "repair/running.h"
#include "zoo/layers.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ValueId Images(GraphBuilder& g) { return g.Input("input", {2, 3, 4, 4}); }

Graph Finish(GraphBuilder& g, ValueId output) {
  g.Output(output, "output");
  return g.Build();
}

TEST(Norms, TakeThePlaceOfTheLayerBefore) {
  GraphBuilder g;
  const ValueId x = zoo::Conv2d(g, "c", Images(g), 5, {.bias = true});
  const ValueId y = zoo::BatchNorm2d(g, "n", x);
  const Graph graph = Finish(g, y);
  const auto sites = RepairSites(graph);
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_EQ(sites[0].value, y);
  EXPECT_EQ(sites[0].depth, 1);
  EXPECT_THAT(sites[0].scaled,
              ElementsAre(WeightAxis{"n.weight", 0}, WeightAxis{"n.bias", 0}));
  EXPECT_EQ(sites[0].shifted.weight, "n.bias");
  testing::ExpectCorrected(graph, sites[0], 1);
}

TEST(Norms, LeaveALayerThatIsUsedElsewhereTooASite) {
  GraphBuilder g;
  const ValueId x = zoo::Conv2d(g, "c", Images(g), 5);
  const Graph graph = Finish(g, zoo::Plus(g, x, zoo::BatchNorm2d(g, "n", x)));
  const auto sites = RepairSites(graph);
  ASSERT_THAT(sites, SizeIs(2));
  for (const RepairSite& site : sites) {
    testing::ExpectCorrected(graph, site, 1);
  }
}

TEST(Norms, WithSharedScalesAreNoSites) {
  GraphBuilder g;
  ValueId x = zoo::Conv2d(g, "c", Images(g), 3);
  x = zoo::BatchNorm2d(g, "n", x);
  x = zoo::BatchNorm2d(g, "n", zoo::Relu(g, x));
  const auto sites = RepairSites(Finish(g, x));
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_EQ(sites[0].scaled[0].weight, "c.weight");
}

TEST(Norms, TellTheirStatistics) {
  GraphBuilder g;
  const ValueId x = zoo::Conv2d(g, "c", Images(g), 5);
  const ValueId y = zoo::BatchNorm2d(g, "n", x);
  const Graph graph = Finish(g, y);
  const auto sites = BatchNormSites(graph);
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_EQ(sites[0].input, x);
  EXPECT_EQ(sites[0].output, y);
  EXPECT_EQ(sites[0].channels, 5);
  EXPECT_EQ(sites[0].mean, "n.running_mean");
  EXPECT_EQ(sites[0].variance, "n.running_var");
  EXPECT_EQ(graph.nodes()[sites[0].node].op, "BatchNormalization");
  EXPECT_TRUE(HasBatchNorm(graph));
}

TEST(Norms, WithSharedStatisticsAreNotListed) {
  GraphBuilder g;
  ValueId x = zoo::BatchNorm2d(g, "n", Images(g));
  x = zoo::BatchNorm2d(g, "n", zoo::Relu(g, x));
  const Graph graph = Finish(g, x);
  EXPECT_THAT(BatchNormSites(graph), IsEmpty());
  EXPECT_TRUE(HasBatchNorm(graph));
}

TEST(Norms, AreFoundByName) {
  EXPECT_FALSE(HasNormalization(ZooGraph("mlp")));
  EXPECT_FALSE(HasNormalization(ZooGraph("vgg16:head=cifar")));
  EXPECT_TRUE(HasNormalization(ZooGraph("resnet20")));
  EXPECT_TRUE(HasNormalization(ZooGraph("resnet20:norm=layer")));
  EXPECT_FALSE(HasBatchNorm(ZooGraph("resnet20:norm=layer")));
}

TEST(Norms, AreFoundWhereTheyAreWrittenAsQuotients) {
  GraphBuilder g;
  const ValueId x = g.Input("input", {2, 5, 3});
  EXPECT_TRUE(HasNormalization(Finish(g, zoo::RmsNorm(g, "n", x))));
}

TEST(Norms, OfWeightsAreNotNormsOfActivations) {
  GraphBuilder g;
  const ValueId w = g.Weight("w", {3, 4});
  const ValueId squares = g.Add("Mul", {w, w});
  const ValueId mean =
      g.Add("ReduceMean", {squares, g.Ints({0})}, {{"keepdims", int64_t{1}}});
  const ValueId unit = g.Add("Div", {w, g.Add("Sqrt", {mean})});
  const ValueId y = g.Add("MatMul", {g.Input("input", {2, 3}), unit});
  EXPECT_FALSE(HasNormalization(Finish(g, y)));
}

}  // namespace
}  // namespace rebasin
