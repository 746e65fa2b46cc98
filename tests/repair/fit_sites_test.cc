#include "repair/fit_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/builder.h"
#include "rebasin/zoo.h"
#include "repair/depth_order.h"
#include "zoo/layers.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string WeightOf(const Graph& graph, const FitSite& site) {
  return graph.values()[site.weight].name;
}

FitSite SiteOf(const Graph& graph, const std::vector<FitSite>& sites,
               const std::string& weight) {
  for (const FitSite& site : sites) {
    if (WeightOf(graph, site) == weight) return site;
  }
  throw std::out_of_range(weight);
}

TEST(FitSites, EveryLayerOfAnMlpWithItsBias) {
  const Graph graph = ZooGraph("mlp:depth=2,width=6,in=5,out=4");
  const auto sites = FitSites(graph);
  ASSERT_THAT(sites, SizeIs(3));
  for (const FitSite& site : sites) {
    EXPECT_EQ(site.kind, FitSite::Kind::kProduct);
    EXPECT_NE(site.bias, kNoValue);
    EXPECT_EQ(site.target, site.output);
    EXPECT_EQ(site.channel_axis, 0);
  }
}

TEST(FitSites, NormsBehindConvolutionsArePartOfThem) {
  const Graph graph = ZooGraph("resnet20:shortcut=B");
  const auto sites = FitSites(graph);
  ASSERT_THAT(sites, SizeIs(1 + 18 + 2 + 1));
  for (size_t s = 0; s + 1 < sites.size(); ++s) {
    EXPECT_TRUE(sites[s].norm.has_value()) << WeightOf(graph, sites[s]);
  }
}

TEST(FitSites, TheLastLayerOfABlockCompletesItsSum) {
  const Graph graph = InOrderOfDepth(ZooGraph("resnet20:shortcut=A"));
  const auto sites = FitSites(graph);
  int completed = 0;
  for (const FitSite& site : sites) {
    const bool last = WeightOf(graph, site).ends_with("conv2.weight");
    EXPECT_EQ(site.rest.size(), last ? 1 : 0) << WeightOf(graph, site);
    completed += last;
  }
  EXPECT_EQ(completed, 9);
}

TEST(FitSites, TheShortcutIsFittedFirstWhicheverComesFirstInTheGraph) {
  const Graph graph = InOrderOfDepth(ZooGraph("resnet18:classes=7"));
  const auto sites = FitSites(graph);
  const FitSite shortcut = SiteOf(graph, sites, "layer2.0.downsample.0.weight");
  const FitSite branch = SiteOf(graph, sites, "layer2.0.conv2.weight");
  EXPECT_THAT(shortcut.rest, IsEmpty());
  EXPECT_LT(shortcut.node, branch.node);
  EXPECT_THAT(branch.rest, ElementsAre(shortcut.output));
}

TEST(FitSites, FactorsOfNormsThatNoProductAbsorbs) {
  const Graph graph = ZooGraph("resnet20:norm=layer");
  int factors = 0;
  for (const FitSite& site : FitSites(graph)) {
    if (site.kind != FitSite::Kind::kFactors) continue;
    ++factors;
    EXPECT_NE(site.bias, kNoValue);
  }
  EXPECT_EQ(factors, 19);
}

TEST(FitSites, ASumBehindATransposedNormKnowsItsAxes) {
  const Graph graph = InOrderOfDepth(ZooGraph("resnet20:norm=layer"));
  const FitSite site = SiteOf(graph, FitSites(graph), "layer1.0.bn2.weight");
  EXPECT_THAT(site.rest, SizeIs(1));
  // [n, h, w, c] became [n, c, h, w].
  EXPECT_THAT(site.axes, ElementsAre(0, 2, 3, 1));
}

TEST(FitSites, TargetsThatOnlyRectifiersUseAreRectified) {
  const Graph graph = InOrderOfDepth(ZooGraph("resnet20:shortcut=A"));
  for (const FitSite& site : FitSites(graph)) {
    // All but the logits.
    EXPECT_EQ(site.rectified, site.norm.has_value()) << WeightOf(graph, site);
  }
}

TEST(FitSites, BranchesThatAreAddedAreNotRectified) {
  const Graph graph = InOrderOfDepth(ZooGraph("resnet18:classes=7"));
  const auto sites = FitSites(graph);
  EXPECT_FALSE(SiteOf(graph, sites, "layer2.0.downsample.0.weight").rectified);
  EXPECT_TRUE(SiteOf(graph, sites, "layer2.0.conv2.weight").rectified);
}

TEST(FitSites, ValuesWithOtherUsersThanRectifiersAreNotRectified) {
  // The hidden layer is used by a ReLU, and by the output.
  GraphBuilder g;
  const ValueId x = g.Input("input", {kOpenSize, 3}, Kind::kFloat, {"batch"});
  const ValueId hidden = zoo::Linear(g, "fc1", x, 4);
  g.Output(g.Add("Add", {zoo::Relu(g, hidden), hidden}), "output");
  const Graph graph = g.Build();
  EXPECT_FALSE(SiteOf(graph, FitSites(graph), "fc1.weight").rectified);
}

TEST(FitSites, WeightsWithOtherUsesAreLeftOut) {
  const Graph graph =
      ZooGraph("gpt2:depth=1,width=8,heads=2,vocab=11,context=16");
  for (const FitSite& site : FitSites(graph)) {
    EXPECT_NE(WeightOf(graph, site), "wte.weight");
  }
}

TEST(InOrderOfDepth, WeightsAreTransposedJustBeforeTheirLayer) {
  const Graph graph = InOrderOfDepth(
      ZooGraph("llama:depth=2,width=8,heads=2,kv_heads=1,mlp=12,vocab=11"));
  // The node after a transposed weight is its product.
  const auto& nodes = graph.nodes();
  for (size_t n = 0; n + 1 < nodes.size(); ++n) {
    if (nodes[n].op != "Transpose") continue;
    if (graph.values()[nodes[n].inputs[0]].role != Role::kWeight) continue;
    size_t user = n + 1;
    while (nodes[user].op == "Transpose") ++user;
    EXPECT_EQ(nodes[user].op, "MatMul") << NodeText(nodes[user]);
  }
}

}  // namespace
}  // namespace rebasin
