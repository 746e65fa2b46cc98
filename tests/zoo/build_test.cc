// Every architecture builds, with shapes that are known everywhere.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/inference.h"
#include "rebasin/zoo.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;

Inference InferDefault(const Graph& graph) {
  std::vector<Shape> shapes;
  for (ValueId id : graph.inputs()) {
    shapes.push_back(graph.values()[id].shape);
    shapes.back().at(0) = 3;
  }
  return Infer(graph, shapes);
}

Shape OutputShape(const std::string& text) {
  const Graph graph = ZooGraph(text);
  const Inference inference = InferDefault(graph);
  for (const Node& node : graph.nodes()) {
    for (ValueId id : node.outputs) {
      EXPECT_TRUE(inference.types[id].known) << text << " " << NodeText(node);
    }
  }
  return inference.types[graph.outputs().at(0)].shape;
}

TEST(ZooGraph, KnowsAllShapesOfEveryArchitecture) {
  for (const ZooEntry& entry : ZooEntries()) {
    EXPECT_EQ(OutputShape(entry.name).at(0), 3) << entry.name;
  }
}

TEST(ZooGraph, LeavesTheBatchSizeOpen) {
  for (const ZooEntry& entry : ZooEntries()) {
    const Graph graph = ZooGraph(entry.name);
    ASSERT_EQ(graph.inputs().size(), 1u);
    const Value& input = graph.values()[graph.inputs()[0]];
    EXPECT_EQ(input.shape.at(0), kOpenSize) << entry.name;
    EXPECT_THAT(input.symbols, ElementsAre("batch"));
  }
}

TEST(ZooGraph, UsesEveryWeight) {
  for (const ZooEntry& entry : ZooEntries()) {
    const Graph graph = ZooGraph(entry.name);
    std::vector<bool> used(graph.values().size(), false);
    for (const Node& node : graph.nodes()) {
      for (ValueId id : node.inputs) {
        if (id != kNoValue) used[id] = true;
      }
    }
    for (ValueId id : graph.weights()) {
      EXPECT_TRUE(used[id]) << entry.name << " " << graph.values()[id].name;
    }
  }
}

TEST(ZooGraph, GivesOneNumberForEachClass) {
  for (const char* text :
       {"mlp:out=7", "vgg11:head=cifar,classes=7", "vgg16:classes=7",
        "vgg16:head=dense,classes=7", "convnext:classes=7,depth=1",
        "resnet20:classes=7", "resnet18:classes=7",
        "resnet50:classes=7,image=64", "densenet121:classes=7,image=32",
        "mobilenetv2:classes=7,se=true", "convnext_tiny:classes=7,image=32",
        "convmixer:classes=7", "residual_mlp:out=7", "vit:classes=7,depth=1",
        "lstm:classes=7", "lstm:classes=7,input=dense,bidirectional=true"}) {
    EXPECT_THAT(OutputShape(text), ElementsAre(3, 7)) << text;
  }
}

TEST(ZooGraph, GivesLogitsAtEveryPosition) {
  EXPECT_THAT(OutputShape("gpt2:depth=1,vocab=11,sequence=5"),
              ElementsAre(3, 5, 11));
  EXPECT_THAT(OutputShape("llama:depth=1,width=32,heads=4,kv_heads=2,vocab=11,"
                          "sequence=5"),
              ElementsAre(3, 5, 11));
}

TEST(ZooGraph, BuildsEveryKindOfBlock) {
  for (const char* text :
       {"resnet20:shortcut=B,norm=layer,width=2", "resnet20:shortcut=C",
        "vgg13:norm=layer,head=cifar", "vgg19:norm=batch,width=2,head=cifar",
        "mlp:names=seq,depth=2", "lstm:layers=3,bidirectional=true",
        "gpt2:depth=2,names=lm", "llama:depth=2,tie=true",
        "vit:names=linear,patch=32,heads=6"}) {
    EXPECT_EQ(OutputShape(text).at(0), 3) << text;
  }
}

TEST(ZooGraph, OfThePaperHasDenseLayersAsWideAsTheLastStage) {
  const Graph graph = ZooGraph("vgg16:head=dense,norm=layer,divide=4");
  const auto shape = [&](const char* name) {
    return graph.values()[graph.FindWeight(name)].shape;
  };
  EXPECT_THAT(shape("classifier.0.weight"), ElementsAre(128, 128));
  EXPECT_THAT(shape("classifier.3.weight"), ElementsAre(128, 128));
  EXPECT_THAT(shape("classifier.6.weight"), ElementsAre(1000, 128));
}

TEST(ZooGraph, ShortcutsAreConvolutionsOfOneOrNinePixels) {
  const auto kernel = [](const char* text) {
    const Graph graph = ZooGraph(text);
    return graph.values()[graph.FindWeight("layer2.0.shortcut.0.weight")]
        .shape.back();
  };
  EXPECT_EQ(kernel("resnet20:shortcut=B"), 1);
  EXPECT_EQ(kernel("resnet20:shortcut=C"), 3);
}

TEST(ZooGraph, TiesTheEmbeddingWhereAsked) {
  const std::string text = "llama:depth=1,width=128,heads=2,tie=";
  EXPECT_EQ(ZooGraph(text + "true").FindWeight("lm_head.weight"), kNoValue);
  EXPECT_NE(ZooGraph(text + "false").FindWeight("lm_head.weight"), kNoValue);
}

}  // namespace
}  // namespace rebasin
