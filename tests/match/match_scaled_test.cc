// Planted permutations, scales and signs: B is a copy of A that computes the
// same function with other weights, and matching must find the way back.

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "discovery/discovered.h"
#include "graph/builder.h"
#include "rebasin/discovery.h"
#include "rebasin/match.h"
#include "rebasin/merge.h"
#include "rebasin/zoo.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::SymmetryPtr;

SymmetryPtr SymmetryOf(const Graph& graph) {
  return std::make_shared<const Symmetry>(
      Discover(graph, {.scales = true, .signs = true}).symmetry);
}

// A random element whose scales are no powers of two.
Alignment Hidden(const SymmetryPtr& symmetry, uint64_t seed) {
  Alignment hidden = Alignment::Random(symmetry, seed);
  Random random(seed + 1);
  for (int s = 0; s < static_cast<int>(symmetry->scalings().size()); ++s) {
    const Scaling& scaling = symmetry->scalings()[s];
    if (scaling.kind == ScalingKind::kSign) continue;
    for (int64_t c = 0; c < symmetry->Copies(scaling.group); ++c) {
      for (double& f : hidden.mutable_factors(s, c)) {
        f = std::exp(0.5 * random.Normal());
      }
    }
  }
  return hidden;
}

double LargestDifference(const Checkpoint& x, const Checkpoint& y) {
  double largest = 0;
  for (const Tensor& tensor : x.tensors()) {
    std::vector<float> a(tensor.size()), b(tensor.size());
    ReadFloats(tensor, 0, a);
    ReadFloats(*y.Find(tensor.name), 0, b);
    double scale = 0, difference = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      scale = std::max<double>(scale, std::abs(a[i]));
      difference = std::max<double>(difference, std::abs(a[i] - b[i]));
    }
    largest = std::max(largest, difference / std::max(scale, 1e-30));
  }
  return largest;
}

// h = act(W x), then h + act(S h) with one group on both axes of S.
Graph SelfCoupled(const std::string& activation) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2, 12});
  const ValueId h =
      b.Add(activation, {b.Add("MatMul", {x, b.Weight("in", {12, 16})})});
  const ValueId s = b.Add("MatMul", {h, b.Weight("self", {16, 16})});
  const ValueId sum = b.Add("Add", {h, b.Add(activation, {s})});
  b.Output(b.Add("MatMul", {sum, b.Weight("out", {16, 10})}), "y");
  return b.Build();
}

Graph TanhChain() {
  GraphBuilder b;
  ValueId x = b.Input("x", {2, 20});
  int layer = 0;
  for (int64_t width : {24, 32, 24}) {
    const std::string name = "fc" + std::to_string(layer++);
    const ValueId y =
        b.Add("MatMul", {x, b.Weight(name, {b.shape(x)[1], width})});
    x = b.Add("Tanh", {b.Add("Add", {y, b.Weight(name + ".bias", {width})})});
  }
  b.Output(b.Add("MatMul", {x, b.Weight("out", {24, 10})}), "y");
  return b.Build();
}

Graph GraphOf(const std::string& name) {
  if (name == "tanh") return TanhChain();
  if (name == "self:Relu" || name == "self:Tanh") {
    return SelfCoupled(name.substr(5));
  }
  return ZooGraph(name);
}

class Planted : public ::testing::TestWithParam<const char*> {
 protected:
  Planted()
      : graph_(GraphOf(GetParam())),
        symmetry_(SymmetryOf(graph_)),
        hidden_(Hidden(symmetry_, 5)) {}

  Checkpoint Model() const { return testing::RandomWeights(graph_, 3); }

  Graph graph_;
  SymmetryPtr symmetry_;
  Alignment hidden_;
};

TEST_P(Planted, ElementsAreFoundExactly) {
  const Checkpoint a = Model();
  const Checkpoint b = Permute(a, hidden_);
  const MatchResult found = MatchWeightsScaled(a, b, symmetry_);
  EXPECT_EQ(testing::Agreement(found.alignment, hidden_.Inverse()), 1);
  EXPECT_LT(LargestDifference(a, Permute(b, found.alignment)), 1e-5);
  EXPECT_NEAR(found.report.objective_after,
              found.report.norm_a * found.report.norm_b,
              1e-5 * found.report.objective_after);
  EXPECT_TRUE(Verify(graph_, b, found.alignment).same);
}

TEST_P(Planted, ElementsAreFoundUnderNoise) {
  const Checkpoint a = Model();
  const Checkpoint b = Permute(testing::WithNoise(a, 0.2, 9), hidden_);
  const MatchResult found = MatchWeightsScaled(a, b, symmetry_);
  EXPECT_EQ(testing::Agreement(found.alignment, hidden_.Inverse()), 1);
  const double cosine = found.report.objective_after /
                        (found.report.norm_a * found.report.norm_b);
  EXPECT_GT(cosine, 0.95);
  EXPECT_TRUE(Verify(graph_, b, found.alignment).same);
}

TEST_P(Planted, SignsAreFittedToGivenPermutations) {
  const Checkpoint a = Model();
  const Checkpoint b = Permute(a, hidden_);
  const MatchResult found = MatchScaled(
      a, b, symmetry_,
      [&](const Checkpoint& x, const Checkpoint& y, const SymmetryPtr& plain) {
        EXPECT_TRUE(plain->scalings().empty());
        Alignment truth = hidden_.Inverse().WithSymmetry(plain);
        return MatchResult{truth, DescribeAlignment(x, y, truth)};
      });
  EXPECT_LT(LargestDifference(a, Permute(b, found.alignment)), 1e-5);
  EXPECT_NEAR(found.report.objective_after,
              found.report.norm_a * found.report.norm_b,
              1e-5 * found.report.objective_after);
}

INSTANTIATE_TEST_SUITE_P(
    Models, Planted,
    ::testing::Values("mlp:width=48", "tanh", "self:Relu", "self:Tanh",
                      "resnet20", "resnet20:shortcut=B",
                      "resnet20:norm=layer,shortcut=B",
                      "vit:depth=2,width=48,heads=3,mlp=64,image=32,patch=8",
                      "llama:depth=2,width=32,heads=4,mlp=48,vocab=40"));

TEST(MatchScaled, PermutationsAloneDoNotFindScaledUnits) {
  const Graph graph = TanhChain();
  const SymmetryPtr symmetry = SymmetryOf(graph);
  const Alignment hidden = Hidden(symmetry, 5);
  const Checkpoint a = testing::RandomWeights(graph, 3);
  const Checkpoint b = Permute(a, hidden);
  const auto plain =
      std::make_shared<const Symmetry>(symmetry->WithoutScalings());
  const MatchResult found = MatchWeights(a, b, plain);
  EXPECT_LT(testing::Agreement(found.alignment, hidden.Inverse()), 0.9);
}

TEST(MatchScaled, EqualModelsAreAlreadyAligned) {
  const Graph graph = ZooGraph("mlp:width=32");
  const SymmetryPtr symmetry = SymmetryOf(graph);
  const Checkpoint a = testing::RandomWeights(graph, 3);
  const MatchResult found = MatchWeightsScaled(a, a, symmetry);
  EXPECT_TRUE(found.alignment.IsIdentity());
  EXPECT_TRUE(found.report.already_aligned);
}

TEST(MatchScaled, MergingInEitherGaugeIsTheSameFunction) {
  const Graph graph = ZooGraph("mlp:width=32");
  const SymmetryPtr symmetry = SymmetryOf(graph);
  const Checkpoint a = testing::RandomWeights(graph, 3);
  const Checkpoint b = testing::RandomWeights(graph, 4);
  const Alignment gauge = Hidden(Alignment(symmetry).shared_symmetry(), 8);
  // Another A that computes the same: the merge must, too.
  const Checkpoint other = Permute(a, gauge);
  const auto merged = [&](const Checkpoint& with) {
    const Alignment found = MatchWeightsScaled(with, b, symmetry).alignment;
    const MergeInput inputs[] = {{&with, nullptr}, {&b, &found}};
    return Merge(inputs);
  };
  const Checkpoint x = Permute(merged(a), gauge);
  EXPECT_LT(LargestDifference(x, merged(other)), 1e-5);
}

TEST(MatchScaled, TheSameForAnyNumberOfThreads) {
  const Graph graph = ZooGraph("resnet20");
  const SymmetryPtr symmetry = SymmetryOf(graph);
  const Checkpoint a = testing::RandomWeights(graph, 3);
  const Checkpoint b = testing::RandomWeights(graph, 4);
  const auto one = MatchWeightsScaled(a, b, symmetry, {}, {.threads = 1});
  const auto two = MatchWeightsScaled(a, b, symmetry, {}, {.threads = 2});
  EXPECT_EQ(one.alignment, two.alignment);
}

}  // namespace
}  // namespace rebasin
