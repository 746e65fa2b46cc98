// Layers of a merged network fitted to its parents.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "nn/classifier.h"
#include "nn/small_networks.h"
#include "nn/weights.h"
#include "rebasin/merge.h"
#include "rebasin/nn/calibrate.h"
#include "rebasin/nn/train.h"
#include "rebasin/zoo.h"
#include "repair/fit_sites.h"
#include "support/expect_error.h"
#include "zoo/layers.h"

namespace rebasin {
namespace {

using testing::Blobs;
using testing::BytesOf;
using testing::Changed;
using testing::GraphPtr;
using testing::GroupNormNet;
using testing::NumbersOf;
using testing::RandomNetwork;
using testing::SmallConvNet;
using testing::SmallMlp;

at::Tensor LogitsOf(const GraphPtr& graph, const Checkpoint& model,
                    const Dataset& data) {
  const c10::NoGradGuard no_gradients;
  const nn::Classifier classifier(graph, data, {});
  at::Tensor examples = at::empty({data.size(), data.example_size()});
  ReadBatch(data, {}, 0, data.size(),
            {examples.data_ptr<float>(), static_cast<size_t>(examples.numel())},
            nullptr);
  return classifier.Logits(classifier.Prepare(nn::Weights(graph, model)),
                           examples);
}

double RelativeDistance(const at::Tensor& x, const at::Tensor& y) {
  return ((x - y).norm() / y.norm()).item<double>();
}

Checkpoint MeanOf(const std::vector<Checkpoint>& models,
                  const std::vector<double>& shares) {
  std::vector<MergeInput> inputs;
  for (const Checkpoint& model : models) inputs.push_back({&model, nullptr});
  return Merge(inputs, {.weights = shares});
}

Checkpoint Fitted(const GraphPtr& graph, const std::vector<Checkpoint>& models,
                  const std::vector<double>& shares, const Dataset& data,
                  const Run& run = {}) {
  return FitToParents(graph, MeanOf(models, shares), models, shares, data, {},
                      run);
}

// `model` without what its layers have learned; tables, which are not fitted,
// stay.
Checkpoint WithoutLayers(const GraphPtr& graph, const Checkpoint& model) {
  std::set<std::string> fitted;
  for (const FitSite& site : FitSites(*graph)) {
    fitted.insert(graph->values()[site.weight].name);
    if (site.bias != kNoValue) fitted.insert(graph->values()[site.bias].name);
  }
  const Checkpoint other = RandomNetwork(*graph, 2);
  std::vector<Tensor> tensors = model.tensors();
  for (Tensor& tensor : tensors) {
    if (fitted.contains(tensor.name)) tensor = *other.Find(tensor.name);
  }
  return Checkpoint(std::move(tensors));
}

// Layers whose parents are equal can reach them, whatever they were before.
void ExpectRecovered(const GraphPtr& graph, const Checkpoint& parent,
                     const Dataset& data) {
  const Checkpoint start = WithoutLayers(graph, parent);
  const Checkpoint fitted = FitToParents(
      graph, start, std::vector{parent, parent}, std::vector{0.5, 0.5}, data);
  const at::Tensor goal = LogitsOf(graph, parent, data);
  EXPECT_GT(RelativeDistance(LogitsOf(graph, start, data), goal), 0.3);
  EXPECT_LT(RelativeDistance(LogitsOf(graph, fitted, data), goal), 0.05);
}

void ExpectRecovered(const GraphPtr& graph, const Dataset& data) {
  ExpectRecovered(graph, RandomNetwork(*graph, 1), data);
}

GraphPtr ZooNet(const std::string& text) {
  return std::make_shared<const Graph>(ZooGraph(text));
}

TEST(FitToParents, RecoversAnMlp) {
  ExpectRecovered(SmallMlp(), Blobs({6}, 4, 400, 1));
}

TEST(FitToParents, RecoversConvolutionsWithNorms) {
  ExpectRecovered(SmallConvNet(), Blobs({1, 8, 8}, 4, 200, 1));
}

TEST(FitToParents, RecoversNormsThatAreKept) {
  ExpectRecovered(GroupNormNet(), Blobs({1, 8, 8}, 4, 200, 1));
}

TEST(FitToParents, RecoversResidualNetworks) {
  const Dataset data = Blobs({3, 32, 32}, 10, 100, 1);
  for (const char* text : {"resnet20:shortcut=A", "resnet20:norm=layer"}) {
    const GraphPtr graph = ZooNet(text);
    const Checkpoint parent =
        InitialWeights(*graph, Initialization::kKaiming, 1);
    ExpectRecovered(graph, parent, data);
  }
}

TEST(FitToParents, RecoversGroupedConvolutions) {
  ExpectRecovered(ZooNet("convmixer:depth=2,width=12,patch=4,classes=10"),
                  Blobs({3, 32, 32}, 10, 200, 1));
}

TEST(FitToParents, RecoversAVisionTransformer) {
  const GraphPtr graph =
      ZooNet("vit:depth=2,width=16,heads=2,mlp=24,patch=8,image=32,classes=10");
  ExpectRecovered(graph, InitialWeights(*graph, Initialization::kKaiming, 1),
                  Blobs({3, 32, 32}, 10, 200, 1));
}

// [3, 9, 9] -> a convolution with these attributes -> ReLU -> the mean over
// positions -> fc.
GraphPtr WindowNet(const std::string& op, const Shape& weight,
                   const Attributes& attributes) {
  GraphBuilder g;
  ValueId x = g.Input("input", {kOpenSize, 4, 9, 9}, Kind::kFloat, {"batch"});
  const int64_t channels = op == "Conv" ? weight[0] : weight[1];
  x = g.Add(op, {x, g.Weight("w", weight), g.Weight("b", {channels})},
            attributes);
  x = zoo::PoolAll(g, zoo::Relu(g, x));
  g.Output(zoo::Linear(g, "fc", x, 4), "output");
  return std::make_shared<const Graph>(g.Build());
}

TEST(FitToParents, RecoversEveryKindOfWindow) {
  const Dataset data = Blobs({4, 9, 9}, 4, 200, 1);
  ExpectRecovered(WindowNet("Conv", {6, 4, 3, 2},
                            {{"strides", Shape{2, 1}},
                             {"dilations", Shape{1, 2}},
                             {"pads", Shape{1, 0, 0, 2}}}),
                  data);
  ExpectRecovered(WindowNet("Conv", {6, 2, 3, 3}, {{"group", int64_t{2}}}),
                  data);
  ExpectRecovered(WindowNet("ConvTranspose", {4, 6, 3, 2},
                            {{"strides", Shape{2, 1}},
                             {"dilations", Shape{1, 2}},
                             {"pads", Shape{1, 0, 0, 1}}}),
                  data);
}

// The solution of a single layer, without the library's own sums.
TEST(FitToParents, ALayerIsTheRidgeSolution) {
  GraphBuilder g;
  const ValueId x = g.Input("input", {kOpenSize, 3}, Kind::kFloat, {"batch"});
  g.Output(zoo::Linear(g, "fc", x, 2), "output");
  const auto graph = std::make_shared<const Graph>(g.Build());
  const Dataset data = Blobs({3}, 2, 120, 1);
  const std::vector<Checkpoint> models = {RandomNetwork(*graph, 1),
                                          RandomNetwork(*graph, 2)};
  const Checkpoint fitted = Fitted(graph, models, {0.25, 0.75}, data);
  // One layer is linear, so that the mean of the parents is reached but for the
  // penalty.
  const Checkpoint mean = MeanOf(models, {0.25, 0.75});
  for (const char* name : {"fc.weight", "fc.bias"}) {
    const auto expected = NumbersOf(mean, name),
               found = NumbersOf(fitted, name);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], 2e-3 * (1 + std::abs(expected[i])));
    }
  }
}

TEST(FitToParents, RecoversLayersWithMoreInputsThanRows) {
  // 200 inputs, 60 examples: the outputs of these are recovered.
  ExpectRecovered(SmallMlp(200), Blobs({200}, 4, 60, 1));
}

TEST(FitToParents, ComesCloserToTheMeanOfDifferentParents) {
  const GraphPtr graph = SmallMlp(6, 24);
  const Dataset data = Blobs({6}, 4, 400, 1);
  const std::vector<Checkpoint> models = {RandomNetwork(*graph, 1),
                                          RandomNetwork(*graph, 2),
                                          RandomNetwork(*graph, 3)};
  const std::vector<double> shares = {0.5, 0.2, 0.3};
  at::Tensor goal;
  for (size_t m = 0; m < models.size(); ++m) {
    const at::Tensor part = shares[m] * LogitsOf(graph, models[m], data);
    goal = goal.defined() ? goal + part : part;
  }
  const double before =
      RelativeDistance(LogitsOf(graph, MeanOf(models, shares), data), goal);
  const double after = RelativeDistance(
      LogitsOf(graph, Fitted(graph, models, shares, data), data), goal);
  EXPECT_LT(after, 0.7 * before);
}

TEST(FitToParents, StatisticsAreThoseThatDataGives) {
  const GraphPtr graph = SmallConvNet();
  const Dataset data = Blobs({1, 8, 8}, 4, 200, 1);
  const std::vector<Checkpoint> models = {RandomNetwork(*graph, 1),
                                          RandomNetwork(*graph, 2)};
  const Checkpoint fitted = Fitted(graph, models, {0.5, 0.5}, data);
  const Checkpoint again =
      RecalculateBatchNorm(graph, fitted, data, {.batch_size = 200});
  EXPECT_LT(RelativeDistance(LogitsOf(graph, again, data),
                             LogitsOf(graph, fitted, data)),
            0.05);
}

TEST(FitToParents, BytesDoNotDependOnThreads) {
  const GraphPtr graph = SmallConvNet();
  const Dataset data = Blobs({1, 8, 8}, 4, 330, 1);
  const std::vector<Checkpoint> models = {RandomNetwork(*graph, 1),
                                          RandomNetwork(*graph, 2)};
  const std::string one =
      BytesOf(Fitted(graph, models, {0.5, 0.5}, data, {.threads = 1}));
  for (int threads : {2, 3}) {
    EXPECT_EQ(one, BytesOf(Fitted(graph, models, {0.5, 0.5}, data,
                                  {.threads = threads})));
  }
}

TEST(FitToParents, InputsThatNeverMoveGetNoWeight) {
  // All inputs are zero: only the biases of the layers can be fitted.
  const GraphPtr graph = SmallMlp();
  const Dataset data("zeros", {6}, std::vector<float>(6 * 50, 0.0f),
                     std::vector<int32_t>(50, 0), 4);
  const std::vector<Checkpoint> models = {RandomNetwork(*graph, 1),
                                          RandomNetwork(*graph, 2)};
  const Checkpoint fitted = Fitted(graph, models, {0.5, 0.5}, data);
  EXPECT_TRUE(testing::AllFinite(fitted));
  const at::Tensor goal = 0.5 * (LogitsOf(graph, models[0], data) +
                                 LogitsOf(graph, models[1], data));
  EXPECT_LT(RelativeDistance(LogitsOf(graph, fitted, data), goal), 1e-3);
}

TEST(FitToParents, StopsBetweenLayers) {
  const GraphPtr graph = SmallMlp();
  const std::vector<Checkpoint> models = {RandomNetwork(*graph, 1),
                                          RandomNetwork(*graph, 2)};
  ExpectError(ErrorCode::kStopped, {}, [&] {
    Fitted(graph, models, {0.5, 0.5}, Blobs({6}, 4, 400, 1),
           {.stop = [] { return true; }});
  });
}

TEST(FitToParents, ActivationsThatAreNotFiniteAreRefused) {
  const GraphPtr graph = SmallMlp();
  Checkpoint broken = Changed(RandomNetwork(*graph, 1), "fc1.weight", NAN);
  ExpectError(ErrorCode::kBadInput, {}, [&] {
    Fitted(graph, {RandomNetwork(*graph, 2), broken}, {0.5, 0.5},
           Blobs({6}, 4, 100, 1));
  });
}

TEST(FitToParents, SharesMustBelongToModels) {
  const GraphPtr graph = SmallMlp();
  const std::vector<Checkpoint> models = {RandomNetwork(*graph, 1),
                                          RandomNetwork(*graph, 2)};
  ExpectError(ErrorCode::kMismatch, {"2 models and 1 shares"}, [&] {
    FitToParents(graph, models[0], models, std::vector{1.0},
                 Blobs({6}, 4, 100, 1));
  });
}

}  // namespace
}  // namespace rebasin
