// Names and shapes are those of torchvision 0.14: counts, numbers of
// parameters and hashes were taken from its state_dict().

#include <gtest/gtest.h>

#include <map>

#include "rebasin/zoo.h"
#include "zoo/models.h"

namespace rebasin {
namespace {

using testing::Elements;
using testing::Fnv1a;

struct Reference {
  const char* text;
  size_t tensors;      // that hold floating-point numbers
  int64_t parameters;  // without running statistics
  uint64_t hash;       // HashOf
};

// Of lines "name [2, 3]", sorted by name.
uint64_t HashOf(const Graph& graph) {
  std::map<std::string, Shape> sorted;
  for (ValueId id : graph.weights()) {
    sorted[graph.values()[id].name] = graph.values()[id].shape;
  }
  std::string lines;
  for (const auto& [name, shape] : sorted) {
    lines += name + " " + ShapeText(shape) + "\n";
  }
  return Fnv1a(lines);
}

int64_t Parameters(const Graph& graph) {
  int64_t count = 0;
  for (ValueId id : graph.weights()) {
    const Value& weight = graph.values()[id];
    if (weight.name.find(".running_") != std::string::npos) continue;
    count += Elements(weight.shape);
  }
  return count;
}

class Torchvision : public ::testing::TestWithParam<Reference> {};

TEST_P(Torchvision, HasTheSameNamesAndShapes) {
  const Graph graph = ZooGraph(GetParam().text);
  EXPECT_EQ(graph.weights().size(), GetParam().tensors);
  EXPECT_EQ(Parameters(graph), GetParam().parameters);
  EXPECT_EQ(HashOf(graph), GetParam().hash);
}

INSTANTIATE_TEST_SUITE_P(
    All, Torchvision,
    ::testing::Values(
        Reference{"vgg11", 22, 132863336, 0x288d104ae091ee95},
        Reference{"vgg13", 26, 133047848, 0x202f819ed780229c},
        Reference{"vgg16", 32, 138357544, 0xc28928e39d007d16},
        Reference{"vgg19", 38, 143667240, 0x36d33bf295df503e},
        Reference{"vgg16:norm=batch", 84, 138365992, 0x6368e90fc80717fb},
        Reference{"vgg11:norm=batch", 54, 132868840, 0x2cb705fcd5276415},
        Reference{"resnet18", 102, 11689512, 0x18b056aa6aa6fea6},
        Reference{"resnet34", 182, 21797672, 0xd3f20fb1a6ebec98},
        Reference{"resnet50", 267, 25557032, 0xd296b015caae1553},
        Reference{"resnet101", 522, 44549160, 0x53debe4338494eae},
        Reference{"resnet152", 777, 60192808, 0x0ccbb95c5a956870},
        Reference{"densenet121", 606, 7978856, 0xfb867ca594e79589},
        Reference{"densenet169", 846, 14149480, 0x9fa8eb9bb9be01b1},
        Reference{"densenet201", 1006, 20013928, 0x9c5a75447d0a94cb},
        Reference{"mobilenetv2", 262, 3504872, 0xaf557b53cb3d00c9},
        Reference{"convnext_tiny", 182, 28589128, 0x55d6eafb0a8c7cff},
        Reference{"convnext_small", 344, 50223688, 0x646dc025b638fd6c},
        Reference{"convnext_base", 344, 88591464, 0x14a6a939b11bff3d},
        Reference{"vit", 152, 86567656, 0x6512e108ff558aa4}));

Shape ShapeOf(const char* text, const char* weight) {
  const Graph graph = ZooGraph(text);
  const ValueId id = graph.FindWeight(weight);
  return id == kNoValue ? Shape{} : graph.values()[id].shape;
}

// A handful that can be looked up by hand.
TEST(ZooGraph, HasTheWellKnownWeights) {
  const auto expect = [](const char* text, const char* name, Shape shape) {
    EXPECT_EQ(ShapeOf(text, name), shape) << text << " " << name;
  };
  expect("vgg16", "classifier.0.weight", {4096, 25088});
  expect("vgg16:norm=batch", "features.41.running_var", {512});
  expect("resnet50", "layer1.0.downsample.0.weight", {256, 64, 1, 1});
  expect("densenet121", "features.denseblock4.denselayer16.conv1.weight",
         {128, 992, 1, 1});
  expect("mobilenetv2", "features.17.conv.1.0.weight", {960, 1, 3, 3});
  expect("convnext_tiny", "features.5.8.layer_scale", {384, 1, 1});
  expect("vit", "encoder.pos_embedding", {1, 197, 768});
  expect("gpt2", "h.11.attn.c_attn.weight", {768, 2304});
  expect("llama", "model.layers.31.mlp.down_proj.weight", {4096, 11008});
  expect("lstm", "rnn.weight_hh_l0", {1024, 256});
}

}  // namespace
}  // namespace rebasin
