// The built-in architectures: the symmetries found are the ones derived by
// hand, permuting by them changes nothing, and permuting by more does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "discovery/discovered.h"
#include "rebasin/discovery.h"
#include "rebasin/zoo.h"

namespace rebasin {
namespace {

using ::rebasin::testing::AxesOf;
using ::rebasin::testing::ExpectSameFunction;
using ::rebasin::testing::FunctionDifference;
using ::testing::ElementsAre;

class ArchitectureTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ArchitectureTest, PermutingChangesNothing) {
  const Graph graph = ZooGraph(GetParam());
  const Discovery discovery = Discover(graph);
  EXPECT_THAT(discovery.barriers, ::testing::IsEmpty());
  EXPECT_GT(discovery.symmetry.Log10Order(), 1);
  ExpectSameFunction(graph, discovery.symmetry, 1);
}

INSTANTIATE_TEST_SUITE_P(
    SlowZoo, ArchitectureTest,
    ::testing::Values(
        "mlp:width=32", "mlp:depth=5,width=16", "vgg11:head=cifar",
        "vgg16:head=cifar,norm=batch", "vgg16:head=cifar,norm=layer",
        "resnet20", "resnet20:shortcut=B", "resnet20:norm=layer,shortcut=B",
        "resnet32:width=2", "resnet56", "resnet18", "resnet50", "densenet121",
        "mobilenetv2", "mobilenetv2:se=true", "convnext_tiny",
        "convnext:depth=1,width=24", "vgg16:head=dense,norm=layer",
        "resnet20:norm=layer,shortcut=C", "convmixer:depth=2,width=48",
        "convmixer:depth=1,width=48,norm=layer",
        "residual_mlp:width=48,hidden=64",
        "vit:depth=2,width=48,heads=3,mlp=64,image=32,patch=8",
        "gpt2:depth=2,width=48,heads=3,vocab=50,context=16",
        "llama:depth=2,width=32,heads=4,kv_heads=2,mlp=48,vocab=40",
        "lstm:layers=2", "lstm:layers=2,bidirectional=true"));

// How many groups of each size there are; those within others apart.
std::multiset<int64_t> Sizes(const Symmetry& symmetry) {
  std::multiset<int64_t> sizes;
  for (const Group& group : symmetry.groups()) sizes.insert(group.size);
  return sizes;
}

TEST(Completeness, MlpHasOneGroupALayer) {
  const Discovery found = Discover(ZooGraph("mlp:depth=3,width=512"));
  EXPECT_EQ(Sizes(found.symmetry), (std::multiset<int64_t>{512, 512, 512}));
}

TEST(Completeness, VggHasOneGroupAConvolution) {
  const Discovery found = Discover(ZooGraph("vgg16:head=cifar,norm=batch"));
  EXPECT_EQ(Sizes(found.symmetry),
            (std::multiset<int64_t>{64, 64, 128, 128, 256, 256, 256, 512, 512,
                                    512, 512, 512, 512}));
}

TEST(Completeness, FlattenedFeaturesAreAProduct) {
  const Discovery found = Discover(ZooGraph("vgg16:head=imagenet"));
  EXPECT_THAT(AxesOf(found.symmetry, "classifier.0.weight"),
              ElementsAre("classifier.0", "features.28*49"));
}

// One group a residual stage, tied by the sums, and one inside each block.
TEST(Completeness, ResNetOfThePaperHasOneGroupAStageAndOneABlock) {
  const Discovery found = Discover(ZooGraph("resnet20:norm=layer,shortcut=B"));
  EXPECT_EQ(
      Sizes(found.symmetry),
      (std::multiset<int64_t>{16, 16, 16, 16, 32, 32, 32, 32, 64, 64, 64, 64}));
}

TEST(Completeness, PaddedShortcutsMakeSegments) {
  const Discovery found = Discover(ZooGraph("resnet20:shortcut=A"));
  EXPECT_THAT(
      AxesOf(found.symmetry, "linear.weight"),
      ElementsAre("10",
                  "layer3.0.conv2/0+layer2.0.conv2/0+conv1+layer2.0.conv2/1+"
                  "layer3.0.conv2/1"));
}

TEST(Completeness, DenseNetHasOneGroupAProducer) {
  const Discovery found = Discover(ZooGraph("densenet121"));
  const auto axes =
      AxesOf(found.symmetry, "features.denseblock1.denselayer3.conv1.weight");
  EXPECT_EQ(axes[1],
            "features.conv0+features.denseblock1.denselayer1.conv2+"
            "features.denseblock1.denselayer2.conv2");
}

TEST(Completeness, GroupedQueriesAndRotaryEmbeddings) {
  const Discovery found = Discover(
      ZooGraph("llama:depth=1,width=32,heads=4,kv_heads=2,mlp=48,vocab=40"));
  const std::string attention = "model.layers.0.self_attn.";
  const auto q = AxesOf(found.symmetry, attention + "q_proj.weight");
  const auto k = AxesOf(found.symmetry, attention + "k_proj.weight");
  const auto v = AxesOf(found.symmetry, attention + "v_proj.weight");
  const std::string kv = attention + "q_proj/0";
  const std::string query = attention + "q_proj/1";
  EXPECT_EQ(q[0], kv + "*" + query + "*8");
  EXPECT_EQ(k[0], kv + "*8");
  EXPECT_EQ(v[0], kv + "*" + attention + "v_proj");
  const Symmetry& symmetry = found.symmetry;
  EXPECT_EQ(symmetry.groups()[symmetry.FindGroup(query)].parent,
            symmetry.FindGroup(kv));
}

// The true orders of Table 1's networks.
TEST(TableOne, MlpOfThreeLayers) {
  const Graph graph = ZooGraph("mlp:depth=3,width=512");
  EXPECT_NEAR(Discover(graph).symmetry.Log10Order(), 3499.6, 0.5);
}

TEST(TableOne, Vgg16) {
  const Graph graph = ZooGraph("vgg16:head=imagenet");
  EXPECT_NEAR(Discover(graph).symmetry.Log10Order(), 35168.6, 1);
}

// Residual connections tie layers together.
TEST(TableOne, ResNet50) {
  const Graph graph = ZooGraph("resnet50");
  EXPECT_NEAR(Discover(graph).symmetry.Log10Order(), 25638, 1);
}

// ---- Negative controls: more freedom than there is must be seen to break the
// function.

// Lets the first axis of a tensor follow another group of the same size.
Symmetry WithConfused(const Symmetry& symmetry, const std::string& weight,
                      const std::string& group) {
  std::vector<TensorSymmetry> tensors = symmetry.tensors();
  for (TensorSymmetry& tensor : tensors) {
    if (tensor.name != weight) continue;
    const int64_t size = tensor.axes[0].size();
    tensor.axes[0].segments = {{{symmetry.FindGroup(group), size}}};
  }
  return Symmetry(symmetry.groups(), tensors);
}

// Lets an axis of one tensor be permuted on its own.
Symmetry WithFreed(const Symmetry& symmetry, const std::string& weight,
                   size_t axis) {
  std::vector<Group> groups = symmetry.groups();
  std::vector<TensorSymmetry> tensors = symmetry.tensors();
  for (TensorSymmetry& tensor : tensors) {
    if (tensor.name != weight) continue;
    const int64_t size = tensor.axes[axis].size();
    tensor.axes[axis].segments = {{{static_cast<int>(groups.size()), size}}};
    groups.push_back({.name = "freed", .size = size});
  }
  return Symmetry(groups, tensors);
}

constexpr double kSeen = 1e-3;

// A tensor that follows the wrong one of two groups.
TEST(NegativeControl, ConfusedGroupsAreSeen) {
  const Graph graph = ZooGraph("mlp:depth=2,width=24");
  const Symmetry found = Discover(graph).symmetry;
  EXPECT_GT(
      FunctionDifference(graph, WithConfused(found, "fc2.bias", "fc1"), 1),
      kSeen);
}

TEST(NegativeControl, PermutedLogitsAreSeen) {
  const Graph graph = ZooGraph("mlp:depth=2,width=24");
  const Symmetry found = Discover(graph).symmetry;
  EXPECT_GT(FunctionDifference(graph, WithFreed(found, "fc3.weight", 0), 1),
            kSeen);
}

TEST(NegativeControl, PermutedInputsAreSeen) {
  const Graph graph = ZooGraph("resnet20");
  const Symmetry found = Discover(graph).symmetry;
  EXPECT_GT(FunctionDifference(graph, WithFreed(found, "conv1.weight", 1), 1),
            kSeen);
}

TEST(NegativeControl, NormsTiedToNothingAreSeen) {
  const Graph graph = ZooGraph("resnet20");
  const Symmetry found = Discover(graph).symmetry;
  for (const char* name : {"layer1.0.bn1.weight", "layer1.0.bn1.running_var"}) {
    EXPECT_GT(FunctionDifference(graph, WithFreed(found, name, 0), 1), kSeen)
        << name;
  }
}

// Every axis of every weight that is fixed, or tied to something, must be.
TEST(NegativeControl, EveryAxisOfAnAttentionBlockMatters) {
  const Graph graph =
      ZooGraph("vit:depth=1,width=24,heads=3,mlp=16,image=16,patch=8");
  const Symmetry found = Discover(graph).symmetry;
  for (const TensorSymmetry& tensor : found.tensors()) {
    for (size_t axis = 0; axis < tensor.axes.size(); ++axis) {
      if (tensor.axes[axis].size() == 1) continue;
      EXPECT_GT(
          FunctionDifference(graph, WithFreed(found, tensor.name, axis), 1),
          1e-6)
          << tensor.name << " axis " << axis;
    }
  }
}

TEST(NegativeControl, IgnoredHeadsAreSeen) {
  const Graph graph =
      ZooGraph("gpt2:depth=1,width=24,heads=3,vocab=20,context=16");
  const Symmetry found = Discover(graph).symmetry;
  // One group for all dimensions of all heads, as if there were none.
  std::vector<Group> groups = found.groups();
  std::vector<TensorSymmetry> tensors = found.tensors();
  const int all = static_cast<int>(groups.size());
  groups.push_back({.name = "all", .size = 24});
  for (TensorSymmetry& tensor : tensors) {
    if (tensor.name == "h.0.attn.c_attn.weight") {
      tensor.axes[1].segments = {{{kNoGroup, 3}, {all, 24}}};
    } else if (tensor.name == "h.0.attn.c_attn.bias") {
      tensor.axes[0].segments = {{{kNoGroup, 3}, {all, 24}}};
    } else if (tensor.name == "h.0.attn.c_proj.weight") {
      tensor.axes[0].segments = {{{all, 24}}};
    }
  }
  EXPECT_GT(FunctionDifference(graph, Symmetry(groups, tensors), 1), kSeen);
}

}  // namespace
}  // namespace rebasin
