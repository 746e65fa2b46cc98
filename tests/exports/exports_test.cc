// Graphs that PyTorch exports: what is found in them leaves their function as
// it is, and is as much as it ought to be.
//
// tests/exports/graphs holds exports without weights, made by
//   scripts/export-models FOLDER --stripped

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "discovery/discovered.h"
#include "exports/stripped.h"
#include "rebasin/discovery.h"

namespace rebasin {
namespace {

using ::rebasin::testing::AxesOf;
using ::rebasin::testing::ExpectSameFunction;
using ::rebasin::testing::RandomWeights;
using ::rebasin::testing::ReadStripped;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Expected {
  const char* name;
  double log10_order;
  size_t groups;
  size_t within;  // of which lie within others
};

void PrintTo(const Expected& expected, std::ostream* out) {
  *out << expected.name;
}

void ExpectDiscovered(const Expected& expected, const Discovery& found) {
  size_t within = 0;
  for (const Group& group : found.symmetry.groups()) {
    within += group.parent != kNoGroup;
  }
  EXPECT_THAT(found.barriers, IsEmpty());
  EXPECT_NEAR(found.symmetry.Log10Order(), expected.log10_order, 0.6);
  EXPECT_EQ(found.symmetry.groups().size(), expected.groups);
  EXPECT_EQ(within, expected.within);
}

class ExportedTest : public ::testing::TestWithParam<Expected> {};

TEST_P(ExportedTest, KeepsItsFunction) {
  const Graph graph = ReadStripped(GetParam().name);
  const Discovery found = Discover(graph);
  ExpectDiscovered(GetParam(), found);
  ExpectSameFunction(graph, found.symmetry, 1);
}

std::string NameOf(const ::testing::TestParamInfo<Expected>& test) {
  std::string name = test.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Small, ExportedTest,
    ::testing::Values(
        Expected{"channel-shuffle", 4.1, 3, 0}, Expected{"decoder", 68.2, 9, 4},
        Expected{"dense-toy", 7.0, 4, 0}, Expected{"einsum", 12.4, 3, 2},
        Expected{"gpt2", 216.4, 9, 4}, Expected{"grouped", 54.6, 7, 4},
        Expected{"groupnorm", 7.5, 4, 2}, Expected{"gru", 18.4, 4, 0},
        Expected{"lstm", 18.4, 4, 0}, Expected{"mha", 36.2, 4, 2},
        Expected{"mlp", 22.0, 2, 0}, Expected{"pixel-shuffle", 5.4, 2, 0},
        Expected{"prelu", 13.3, 2, 0}, Expected{"unet", 93.1, 12, 0},
        Expected{"weight-norm", 13.3, 1, 0}),
    NameOf);

// What may be exchanged, layer by layer: n stands for n!, (n) for n! in each of
// the groups named before it. "Heads" are 4, with (4) numbers of queries and
// keys and (4) of values in each; a block adds the 24 of what follows
// attention.
INSTANTIATE_TEST_SUITE_P(
    Dense, ExportedTest,
    ::testing::Values(
        Expected{"bilinear", 19.8, 3, 0},      // 8, 10, 12
        Expected{"cross-network", 6.6, 1, 0},  // 10, all added to the first
        Expected{"deep-sets", 19.8, 3, 0},     // 12, 10 pooled thrice, 8
        Expected{"ensemble", 36.1, 2, 1},      // 4 members, (12)
        Expected{"geglu", 13.3, 2, 0},         // 8, 12 with their gates
        Expected{"highway", 13.3, 1, 0},       // 16, all added up
        Expected{"many-outputs", 13.3, 1, 0},  // 16; the 12 are an output
        Expected{"residual-mlp", 63.8, 4, 0},  // 12, 20, 20, 20
        Expected{"tied-autoencoder", 19.9, 2, 0}),  // 16, 10
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Convolutions, ExportedTest,
    ::testing::Values(
        Expected{"conv1d", 12.3, 4, 2},       // 4 groups of (2) to (3), 10
        Expected{"conv3d", 8.7, 4, 2},        // 6, 2 groups of (4) to (4)
        Expected{"convnext-v2", 28.4, 2, 0},  // 8, 24
        Expected{"depthwise", 15.7, 3, 1},    // 8, of which each gives (2); 12
        // 8, and twice 4, 6 and 8, 4 and 6, 2
        Expected{"inception", 31.4, 13, 0},
        Expected{"selective-kernel", 6.7, 2, 0},  // 8 of both branches, 5
        Expected{"squeeze-excite", 23.4, 3, 0},   // 12, 16, 4
        Expected{"transposed", 8.6, 4, 2},        // 4 groups of (2) to (3), 6
        // 2 groups of (4), 4 groups of (3)
        Expected{"weight-standardized", 7.6, 4, 2}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Recurrent, ExportedTest,
    ::testing::Values(Expected{"cells", 7.5, 2, 0},               // 8, 6
                      Expected{"lstm-learned-state", 4.6, 1, 0},  // 8
                      Expected{"rnn-relu", 9.2, 2, 0}),           // 8, 8
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Attention, ExportedTest,
    ::testing::Values(
        // 16, and twice: 2 key heads, (2) queries, (4), (4), 24.
        Expected{"grouped-query", 73.8, 11, 6},
        Expected{"mixer", 78.3, 5, 0},  // 16, and twice 12 and 24
        // 16, heads, 24; the rows of the table are places.
        Expected{"positions-sliced", 49.5, 5, 2},
        // 16, and twice: 4 heads, 4 for all heads' queries and keys, (4), 24.
        Expected{"qk-norm", 77.5, 9, 2},
        Expected{"queries-pooled", 32.3, 5, 2},  // 10 queries, 16, heads
        // 32, and twice: 4 heads, (8) values, 24; rotations fix the rest.
        Expected{"rotary-half", 122.6, 7, 2},
        Expected{"vit-class-token", 49.5, 5, 2}),  // 16, heads, 24
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Heavy, ExportedTest,
    ::testing::Values(Expected{"convnext_tiny", 77559.8, 22, 0},
                      Expected{"densenet121", 16536.5, 120, 0},
                      Expected{"efficientnet_b0", 27049.6, 40, 0},
                      Expected{"googlenet", 13018.1, 57, 0},
                      Expected{"mnasnet1_0", 24109.9, 25, 0},
                      Expected{"mobilenet_v2", 21116.4, 25, 0},
                      Expected{"mobilenet_v3_small", 10226.0, 27, 0},
                      Expected{"regnet_y_400mf", 8542.8, 69, 32},
                      Expected{"resnet18", 5934.5, 12, 0},
                      Expected{"resnet50", 25638.3, 37, 0},
                      Expected{"shufflenet_v2_x1_0", 6770.8, 25, 0},
                      Expected{"squeezenet1_1", 5159.7, 25, 0},
                      Expected{"swin_t", 62662.1, 52, 24},
                      Expected{"vit_b_16", 140226.4, 49, 24}),
    NameOf);

// Too large to be run in a test: 224 x 224 images that cannot be shrunk.
TEST(Exported, VggHasOneGroupALayer) {
  ExpectDiscovered({"vgg16_bn", 35169, 15, 0},
                   Discover(ReadStripped("vgg16_bn")));
}

// Seventeen blocks whose activations are bounded: with most random weights a
// layer of few units is dead or at its bound, and hides all before it.
TEST(Exported, EveryGroupOfADeepNetworkWithBoundsIsSeen) {
  const Graph graph = ReadStripped("mobilenet_v2");
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(graph).symmetry);
  const VerifyReport report =
      Verify(graph, RandomWeights(graph, 1), Alignment::Random(symmetry, 2));
  EXPECT_TRUE(report.same);
  EXPECT_THAT(report.unproved, IsEmpty());
}

// The heads look at boxes that the scores of places choose. With random weights
// no box may be left.
TEST(Exported, EveryGroupOfADetectorIsSeen) {
  const Graph graph = ReadStripped("fasterrcnn_mobilenet_v3_large_320_fpn");
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(graph).symmetry);
  EXPECT_EQ(symmetry->groups().size(), 31);
  const VerifyReport report =
      Verify(graph, RandomWeights(graph, 1), Alignment::Random(symmetry, 2));
  EXPECT_TRUE(report.proved());
  EXPECT_TRUE(report.part);
  EXPECT_TRUE(report.small);
}

// As many results as the input is long: nothing is known of them beforehand.
TEST(Exported, ALoopThatCollectsIsRunAtAllLengths) {
  const Graph graph = ReadStripped("loop-collects");
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(graph).symmetry);
  const VerifyReport report =
      Verify(graph, RandomWeights(graph, 1), Alignment::Random(symmetry, 2));
  EXPECT_TRUE(report.proved());
  ASSERT_EQ(report.outputs.size(), 1);
  EXPECT_EQ(report.outputs[0].shape.size(), 3);
  EXPECT_GT(report.outputs[0].largest, 0);
  EXPECT_EQ(report.input_shapes.size(), 2);
}

TEST(Exported, MultiheadAttentionHasHeadsAndDimensionsWithinThem) {
  const Discovery found = Discover(ReadStripped("mha"));
  EXPECT_THAT(AxesOf(found.symmetry, "attention.in_proj_bias"),
              ElementsAre("2*attention.in_proj/0*attention.in_proj/1+"
                          "attention.in_proj/0*attention.in_proj/2"));
  EXPECT_THAT(AxesOf(found.symmetry, "attention.out_proj.weight"),
              ElementsAre("16", "attention.in_proj/0*attention.in_proj/2"));
}

TEST(Exported, RotaryEmbeddingsFixQueriesAndKeys) {
  const Discovery found = Discover(ReadStripped("decoder"));
  const std::string name = "layers.0.self_attn.";
  EXPECT_EQ(AxesOf(found.symmetry, name + "q_proj.weight")[0],
            name + "q_proj/0*" + name + "q_proj/1*4");
  EXPECT_EQ(AxesOf(found.symmetry, name + "k_proj.weight")[0],
            name + "q_proj/0*4");
  EXPECT_EQ(AxesOf(found.symmetry, name + "v_proj.weight")[0],
            name + "q_proj/0*" + name + "v_proj");
}

}  // namespace
}  // namespace rebasin
