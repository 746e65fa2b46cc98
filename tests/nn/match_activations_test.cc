#include "rebasin/nn/match_activations.h"

#include <gtest/gtest.h>

#include <limits>

#include "nn/small_networks.h"
#include "rebasin/discovery.h"
#include "rebasin/merge.h"
#include "rebasin/nn/calibrate.h"
#include "rebasin/repair.h"
#include "rebasin/zoo.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using testing::Blobs;
using testing::Changed;
using testing::FixedBatchMlp;
using testing::GraphPtr;
using testing::GroupNormNet;
using testing::RandomNetwork;
using testing::SmallConvNet;
using testing::SmallMlp;

GraphPtr Zoo(const std::string& text) {
  return std::make_shared<const Graph>(ZooGraph(text));
}

struct Case {
  std::string model;  // of the zoo; empty: GroupNormNet
  Shape example;
  int64_t size = 40;
};

class ActivationRecovery : public ::testing::TestWithParam<Case> {};

TEST_P(ActivationRecovery, FindsTheAlignmentOfAPermutedCopy) {
  const std::string& model = GetParam().model;
  const GraphPtr graph = model.empty() ? GroupNormNet() : Zoo(model);
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(*graph).symmetry);
  const Dataset data = Blobs(GetParam().example, 4, GetParam().size, 3);
  Checkpoint a = RandomNetwork(*graph, 1);
  // Otherwise the activations of deep random networks have no bounds.
  if (HasBatchNorm(*graph)) a = RecalculateBatchNorm(graph, a, data);
  const auto planted = Alignment::Random(symmetry, 2);
  const Checkpoint b = Permute(a, planted.Inverse());
  for (auto cost : {ActivationCost::kCorrelation, ActivationCost::kProduct}) {
    const MatchResult found =
        MatchActivations(graph, a, b, data, {.cost = cost});
    EXPECT_TRUE(found.alignment == planted);
    EXPECT_TRUE(SameContent(a, b, &found.alignment));
    EXPECT_TRUE(found.report.converged);
    EXPECT_NEAR(found.report.objective_after,
                found.report.norm_a * found.report.norm_b,
                1e-6 * found.report.objective_after);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Architectures, ActivationRecovery,
    ::testing::Values(
        Case{"mlp:in=12,width=40", {12}, 300}, Case{"resnet20", {3, 32, 32}, 9},
        Case{"", {1, 8, 8}, 60},
        Case{"vit:depth=2,width=32,heads=4,mlp=48,patch=8,image=32,classes=5",
             {3, 32, 32},
             20}));

TEST(MatchActivations, DoesNotDependOnThreadsOrOnHowDataIsCut) {
  const GraphPtr graph = SmallConvNet(24);
  const Checkpoint a = RandomNetwork(*graph, 1), b = RandomNetwork(*graph, 2);
  const Dataset data = Blobs({1, 8, 8}, 4, 203, 3);
  MatchActivationsOptions options{.batch_size = 20};
  const MatchResult alone =
      MatchActivations(graph, a, b, data, options, {.threads = 1});
  const rebasin::Run three{.threads = 3};
  EXPECT_TRUE(MatchActivations(graph, a, b, data, options, three).alignment ==
              alone.alignment);
  options.batch_size = 203;
  EXPECT_TRUE(MatchActivations(graph, a, b, data, options, three).alignment ==
              alone.alignment);
}

TEST(MatchActivations, SeesThroughScalesThatWeightsDoNot) {
  // Correlations do not care how large a unit's activations are.
  const GraphPtr graph = SmallMlp(6, 16);
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(*graph).symmetry);
  const Checkpoint a = RandomNetwork(*graph, 1);
  const auto planted = Alignment::Random(symmetry, 2);
  const Checkpoint b = Changed(
      Changed(Permute(a, planted.Inverse()), "fc1.weight", 9), "fc1.bias", 9);
  const Dataset data = Blobs({6}, 4, 200, 3);
  const MatchResult found = MatchActivations(graph, a, b, data);
  const auto fc1 = found.alignment.permutation(0);
  EXPECT_TRUE(
      std::equal(fc1.begin(), fc1.end(), planted.permutation(0).begin()));
}

TEST(MatchActivations, RunsGraphsThatAreMadeForOneBatchSize) {
  const GraphPtr graph = FixedBatchMlp(8);
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(*graph).symmetry);
  const Checkpoint a = RandomNetwork(*graph, 1);
  const auto planted = Alignment::Random(symmetry, 2);
  const Shape shape = graph->values()[graph->inputs()[0]].shape;
  const Dataset data = Blobs({shape.begin() + 1, shape.end()}, 4, 61, 3);
  EXPECT_TRUE(MatchActivations(graph, a, Permute(a, planted.Inverse()), data)
                  .alignment == planted);
}

TEST(MatchActivations, ConstantInputsGiveTheIdentity) {
  const GraphPtr graph = SmallMlp();
  const Dataset data("constant", {6}, std::vector<float>(60, 0.5f),
                     std::vector<int32_t>(), 0);
  const MatchResult found = MatchActivations(graph, RandomNetwork(*graph, 1),
                                             RandomNetwork(*graph, 2), data);
  EXPECT_TRUE(found.alignment.IsIdentity());
}

TEST(MatchActivations, NeedsNoLabels) {
  const GraphPtr graph = SmallMlp();
  std::vector<float> values(600);
  for (size_t i = 0; i < values.size(); ++i) values[i] = float(i * 37 % 101);
  const Dataset data("plain", {6}, values, std::vector<int32_t>(), 0);
  const Checkpoint a = RandomNetwork(*graph, 1);
  EXPECT_TRUE(MatchActivations(graph, a, a, data).alignment.IsIdentity());
}

TEST(MatchActivations, RefusesWhatDoesNotFit) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint a = RandomNetwork(*graph, 1);
  ExpectError(ErrorCode::kMismatch, {"empty"},
              [&] { MatchActivations(graph, a, a, Dataset()); });
  ExpectError(ErrorCode::kMismatch, {"[6]", "[7]"},
              [&] { MatchActivations(graph, a, a, Blobs({7}, 4, 10, 1)); });
  const GraphPtr other = SmallMlp(6, 9);
  ExpectError(ErrorCode::kMismatch, {"fc1"}, [&] {
    MatchActivations(graph, a, RandomNetwork(*other, 1), Blobs({6}, 4, 10, 1));
  });
}

TEST(MatchActivations, NamesTheModelWhoseActivationsAreNotFinite) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint a = RandomNetwork(*graph, 1);
  const Checkpoint bad =
      Changed(a, "fc1.bias", 1, std::numeric_limits<double>::quiet_NaN());
  const Dataset data = Blobs({6}, 4, 50, 1);
  ExpectError(ErrorCode::kBadInput, {"model B", "NaN"}, [&] {
    MatchActivations(graph, a, bad, data, {.batch_size = 10});
  });
}

}  // namespace
}  // namespace rebasin
