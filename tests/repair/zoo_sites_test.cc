// Which sites the built-in architectures have, proven by running.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "rebasin/repair.h"
#include "rebasin/zoo.h"
#include "repair/running.h"

namespace rebasin {
namespace {

using ::rebasin::testing::ExpectCorrected;
using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::string> FirstWeights(const std::vector<RepairSite>& sites) {
  std::vector<std::string> names;
  for (const RepairSite& site : sites) names.push_back(site.scaled[0].weight);
  return names;
}

std::vector<int> Depths(const std::vector<RepairSite>& sites) {
  std::vector<int> depths;
  for (const RepairSite& site : sites) depths.push_back(site.depth);
  return depths;
}

int64_t Shiftable(const std::vector<RepairSite>& sites) {
  return std::count_if(sites.begin(), sites.end(),
                       [](const RepairSite& site) { return site.can_shift(); });
}

// Only the last site is an output.
void ExpectOnlyLogits(const std::vector<RepairSite>& sites) {
  for (const RepairSite& site : sites) {
    EXPECT_EQ(site.is_output, &site == &sites.back()) << site.scaled[0].weight;
  }
}

TEST(ZooSites, EveryLayerOfAnMlp) {
  const Graph graph = ZooGraph("mlp:depth=3,width=6,in=5,out=4");
  const auto sites = RepairSites(graph);
  EXPECT_THAT(FirstWeights(sites), ElementsAre("fc1.weight", "fc2.weight",
                                               "fc3.weight", "fc4.weight"));
  EXPECT_THAT(Depths(sites), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(Shiftable(sites), 4);
  ExpectOnlyLogits(sites);
  for (const RepairSite& site : sites) ExpectCorrected(graph, site, 1);
}

TEST(ZooSites, EveryLayerOfAVgg) {
  const Graph graph = ZooGraph("vgg16:head=cifar,classes=10");
  const auto sites = RepairSites(graph);
  EXPECT_THAT(sites, SizeIs(14));
  EXPECT_EQ(Shiftable(sites), 14);
  EXPECT_EQ(sites.back().depth, 14);
  EXPECT_EQ(sites.back().scaled[0].weight, "classifier.weight");
  ExpectOnlyLogits(sites);
  ExpectCorrected(graph, sites[1], 1);
}

TEST(ZooSites, NormsOfAResNetAndItsHead) {
  const Graph graph = ZooGraph("resnet20:shortcut=B");
  const auto sites = RepairSites(graph);
  // A convolution, nine blocks of two, two shortcuts, the head.
  ASSERT_THAT(sites, SizeIs(1 + 18 + 2 + 1));
  EXPECT_EQ(Shiftable(sites), 22);
  EXPECT_EQ(sites[0].scaled[0].weight, "bn1.weight");
  EXPECT_EQ(sites.back().scaled[0].weight, "linear.weight");
  EXPECT_EQ(sites.back().depth, 20);
  ExpectOnlyLogits(sites);
  EXPECT_THAT(BatchNormSites(graph), SizeIs(21));
  for (const RepairSite& site : sites) ExpectCorrected(graph, site, 1);
}

TEST(ZooSites, ConvolutionsOfAResNetWithLayerNorms) {
  const Graph graph = ZooGraph("resnet20:norm=layer");
  const auto sites = RepairSites(graph);
  ASSERT_THAT(sites, SizeIs(20));
  EXPECT_EQ(sites[0].scaled[0].weight, "conv1.weight");
  // The convolutions have no biases, the head has.
  EXPECT_EQ(Shiftable(sites), 1);
  EXPECT_THAT(BatchNormSites(graph), SizeIs(0));
  for (size_t s : {0, 5, 19}) ExpectCorrected(graph, sites[s], 1);
}

TEST(ZooSites, DenseLayersOfAVisionTransformer) {
  const Graph graph =
      ZooGraph("vit:depth=2,width=8,heads=2,mlp=12,patch=4,image=8,classes=3");
  const auto sites = RepairSites(graph);
  // The patches, four a block, the head.
  ASSERT_THAT(sites, SizeIs(1 + 2 * 4 + 1));
  EXPECT_EQ(Shiftable(sites), 10);
  EXPECT_EQ(sites[1].scaled[0].weight,
            "encoder.layers.encoder_layer_0.self_attention.in_proj_weight");
  EXPECT_EQ(sites[1].channels, 24);
  EXPECT_EQ(sites.back().depth, 10);
  ExpectOnlyLogits(sites);
  for (const RepairSite& site : sites) ExpectCorrected(graph, site, 1);
}

TEST(ZooSites, OnlyTheHeadOfAnLstm) {
  const Graph graph =
      ZooGraph("lstm:input=dense,in=4,width=5,layers=2,classes=3,sequence=3");
  const auto sites = RepairSites(graph);
  EXPECT_THAT(FirstWeights(sites), ElementsAre("fc.weight"));
  EXPECT_EQ(sites[0].depth, 3);  // each recurrent layer is one
  EXPECT_TRUE(sites[0].is_output);
  ExpectCorrected(graph, sites[0], 1);
}

TEST(ZooSites, TheTiedHeadOfGpt2IsLeftOut) {
  const Graph graph =
      ZooGraph("gpt2:depth=1,width=8,heads=2,vocab=11,context=6,sequence=4");
  for (const RepairSite& site : RepairSites(graph)) {
    EXPECT_EQ(site.scaled[0].weight.find("wte"), std::string::npos);
    ExpectCorrected(graph, site, 1);
  }
}

}  // namespace
}  // namespace rebasin
