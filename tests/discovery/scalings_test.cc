// Scales and signs: those found are the ones derived by hand, multiplying by
// them changes nothing, and multiplying by others does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "discovery/discovered.h"
#include "graph/builder.h"
#include "rebasin/discovery.h"
#include "rebasin/zoo.h"

namespace rebasin {
namespace {

using ::rebasin::testing::ExpectSameFunction;
using ::rebasin::testing::FunctionDifference;

constexpr DiscoverOptions kAll = {.scales = true, .signs = true};

struct Counts {
  int scales = 0, signs = 0;

  friend bool operator==(const Counts&, const Counts&) = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << counts.scales << " scales, " << counts.signs << " signs";
}

Counts CountOf(const Symmetry& symmetry) {
  Counts counts;
  for (const Scaling& scaling : symmetry.scalings()) {
    ++(scaling.kind == ScalingKind::kSign ? counts.signs : counts.scales);
  }
  return counts;
}

// The scaling with one of its degrees changed.
Symmetry Spoilt(const Symmetry& symmetry, size_t scaling) {
  std::vector<Scaling> scalings = {symmetry.scalings()[scaling]};
  Scaling& spoilt = scalings[0];
  if (spoilt.kind == ScalingKind::kScale) {
    spoilt.places[0].degree *= -1;
  } else {
    spoilt.places.erase(spoilt.places.begin());
  }
  return Symmetry(symmetry.groups(), symmetry.tensors(), scalings);
}

class ScalingsOf : public ::testing::TestWithParam<const char*> {};

TEST_P(ScalingsOf, ChangeNothing) {
  const Graph graph = ZooGraph(GetParam());
  const Discovery found = Discover(graph, kAll);
  EXPECT_GT(found.symmetry.scalings().size(), 0u);
  ExpectSameFunction(graph, found.symmetry, 1);
}

TEST_P(ScalingsOf, LeaveThePermutationsAsTheyAre) {
  const Graph graph = ZooGraph(GetParam());
  const Discovery plain = Discover(graph);
  const Discovery found = Discover(graph, kAll);
  EXPECT_TRUE(plain.symmetry.scalings().empty());
  ASSERT_EQ(plain.symmetry.groups().size(), found.symmetry.groups().size());
  for (size_t g = 0; g < plain.symmetry.groups().size(); ++g) {
    EXPECT_EQ(plain.symmetry.groups()[g].name, found.symmetry.groups()[g].name);
    EXPECT_EQ(plain.symmetry.groups()[g].size, found.symmetry.groups()[g].size);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, ScalingsOf,
    ::testing::Values(
        "mlp:width=32", "convmixer:depth=2,width=48",
        "residual_mlp:width=48,hidden=64",
        "vit:depth=2,width=48,heads=3,mlp=64,image=32,patch=8",
        "gpt2:depth=2,width=48,heads=3,vocab=50,context=16",
        "llama:depth=2,width=32,heads=4,kv_heads=2,mlp=48,vocab=40"));
INSTANTIATE_TEST_SUITE_P(
    SlowZoo, ScalingsOf,
    ::testing::Values("vgg11:head=cifar", "vgg16:head=cifar,norm=batch",
                      "vgg16:head=cifar,norm=layer", "resnet20",
                      "resnet20:shortcut=B", "resnet20:norm=layer,shortcut=B",
                      "resnet18", "resnet50", "densenet121", "mobilenetv2",
                      "mobilenetv2:se=true", "convnext_tiny"));

// Three hidden layers with an activation between them.
Graph Chain(const std::string& activation) {
  GraphBuilder b;
  ValueId x = b.Input("x", {2, 5});
  for (int layer = 0; layer < 4; ++layer) {
    const std::string name = "fc" + std::to_string(layer);
    const int64_t in = b.shape(x)[1];
    const int64_t out = layer == 3 ? 3 : 6 + layer;
    x = b.Add("Gemm",
              {x, b.Weight(name + ".weight", {out, in}),
               b.Weight(name + ".bias", {out})},
              {{"transB", int64_t{1}}});
    if (layer < 3) x = b.Add(activation, {x});
  }
  b.Output(x, "y");
  return b.Build();
}

struct Known {
  const char* activation;
  Counts counts;
};

class ChainScalings : public ::testing::TestWithParam<Known> {};

TEST_P(ChainScalings, AreThoseOfTheActivation) {
  const Graph graph = Chain(GetParam().activation);
  const Discovery found = Discover(graph, kAll);
  EXPECT_EQ(CountOf(found.symmetry), GetParam().counts);
  ExpectSameFunction(graph, found.symmetry);
}

INSTANTIATE_TEST_SUITE_P(
    Activations, ChainScalings,
    ::testing::Values(Known{"Relu", {3, 0}}, Known{"LeakyRelu", {3, 0}},
                      Known{"Tanh", {0, 3}}, Known{"Erf", {0, 3}},
                      Known{"Softsign", {0, 3}}, Known{"Identity", {3, 3}},
                      Known{"Abs", {3, 3}}, Known{"Cos", {0, 3}},
                      Known{"Gelu", {0, 0}}, Known{"Sigmoid", {0, 0}},
                      Known{"Elu", {0, 0}}, Known{"Softplus", {0, 0}}),
    [](const auto& known) { return std::string(known.param.activation); });

struct KnownModel {
  const char* model;
  Counts counts;
};

class ModelScalings : public ::testing::TestWithParam<KnownModel> {};

TEST_P(ModelScalings, AreThoseDerivedByHand) {
  const Graph graph = ZooGraph(GetParam().model);
  EXPECT_EQ(CountOf(Discover(graph, kAll).symmetry), GetParam().counts);
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, ModelScalings,
    ::testing::Values(
        // One scale a hidden layer.
        KnownModel{"mlp:depth=5,width=16", {5, 0}},
        // A scale behind and a sign before each of 13 norms.
        KnownModel{"vgg16:head=cifar,norm=batch", {13, 13}},
        // A scale a stage and one a block; a sign for each of 21 norms.
        KnownModel{"resnet20:shortcut=B", {12, 21}},
        // Two norms, queries with keys, values with outputs; and the last norm.
        KnownModel{"vit:depth=2,width=48,heads=3,mlp=64,image=32,patch=8",
                   {9, 9}},
        // The last norm is held by the tied embedding.
        KnownModel{"gpt2:depth=3,width=48,heads=3,vocab=50,context=16",
                   {12, 12}},
        // Two norms, values, the gated layer; the last norm; RMSNorm is odd, so
        // the stream has a sign.
        KnownModel{"llama:depth=2,width=32,heads=4,kv_heads=2,mlp=48,vocab=40",
                   {9, 10}},
        // Cells have no law.
        KnownModel{"lstm:layers=2", {0, 0}}));

TEST(Scalings, OneKindCanBeAskedFor) {
  const Graph graph = Chain("Identity");
  EXPECT_EQ(CountOf(Discover(graph, {.scales = true}).symmetry),
            (Counts{3, 0}));
  EXPECT_EQ(CountOf(Discover(graph, {.signs = true}).symmetry), (Counts{0, 3}));
  EXPECT_EQ(CountOf(Discover(graph).symmetry), (Counts{0, 0}));
}

TEST(Scalings, AWrongDegreeIsCaught) {
  for (const char* activation : {"Relu", "Tanh"}) {
    const Graph graph = Chain(activation);
    const Symmetry symmetry = Discover(graph, kAll).symmetry;
    for (size_t s = 0; s < symmetry.scalings().size(); ++s) {
      EXPECT_GT(FunctionDifference(graph, Spoilt(symmetry, s), s), 1e-3);
    }
  }
}

TEST(Scalings, PassSequencesThatAreReversed) {
  for (const char* activation : {"Relu", "Tanh"}) {
    GraphBuilder b;
    const ValueId x = b.Input("x", {3, 2, 5});
    const ValueId lengths = b.Input("lengths", {2}, Kind::kInteger);
    const ValueId h = b.Add("MatMul", {x, b.Weight("in", {5, 6})});
    const ValueId turned =
        b.Add("ReverseSequence", {b.Add(activation, {h}), lengths});
    b.Output(b.Add("MatMul", {turned, b.Weight("out", {6, 4})}), "y");
    const Graph graph = b.Build();
    const Symmetry symmetry = Discover(graph, kAll).symmetry;
    const bool relu = std::string_view(activation) == "Relu";
    EXPECT_EQ(CountOf(symmetry), (Counts{relu ? 1 : 0, relu ? 0 : 1}));
    ExpectSameFunction(graph, symmetry);
  }
}

}  // namespace
}  // namespace rebasin
