#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "discovery/discovered.h"
#include "graph/builder.h"
#include "rebasin/merge.h"
#include "rebasin/repair.h"
#include "rebasin/zoo.h"
#include "support/expect_error.h"
#include "zoo/layers.h"

namespace rebasin {
namespace {

using ::rebasin::testing::RandomWeights;

constexpr char kMlp[] = "mlp:depth=2,width=4,in=3,out=2";

std::vector<double> Values(const Checkpoint& model, const std::string& name) {
  const Tensor& tensor = *model.Find(name);
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  ReadDoubles(tensor, 0, values);
  return values;
}

Checkpoint Merged(const std::vector<Checkpoint>& models,
                  const std::vector<double>& shares) {
  std::vector<MergeInput> inputs;
  for (const Checkpoint& model : models) inputs.push_back({&model});
  return Merge(inputs, {.weights = shares});
}

TEST(CorrectBiases, WeighsByPowersOfTheShares) {
  const Graph graph = ZooGraph(kMlp);
  const std::vector<Checkpoint> models = {RandomWeights(graph, 1),
                                          RandomWeights(graph, 2),
                                          RandomWeights(graph, 3)};
  const std::vector<double> shares = {0.5, 0.3, 0.2};
  const Checkpoint merged = Merged(models, shares);
  const Checkpoint corrected = CorrectBiases(graph, merged, models, shares);
  for (int depth : {1, 2, 3}) {
    const std::string name = "fc" + std::to_string(depth) + ".bias";
    const std::vector<double> found = Values(corrected, name);
    for (size_t i = 0; i < found.size(); ++i) {
      double expected = 0;
      for (size_t m = 0; m < models.size(); ++m) {
        expected += std::pow(shares[m], depth) * Values(models[m], name)[i];
      }
      EXPECT_NEAR(found[i], expected, 1e-6) << name;
    }
  }
}

TEST(CorrectBiases, LeavesWeightsAndFirstBiasesAsMerged) {
  const Graph graph = ZooGraph(kMlp);
  const Checkpoint a = RandomWeights(graph, 1), b = RandomWeights(graph, 2);
  const Checkpoint merged = Merged({a, b}, {0.75, 0.25});
  const Checkpoint corrected = CorrectBiases(graph, merged, a, b, 0.25);
  for (const char* name :
       {"fc1.weight", "fc2.weight", "fc3.weight", "fc1.bias"}) {
    EXPECT_EQ(Values(corrected, name), Values(merged, name)) << name;
  }
  EXPECT_NE(Values(corrected, "fc2.bias"), Values(merged, "fc2.bias"));
}

TEST(CorrectBiases, GivesAModelBackAtTheEnds) {
  const Graph graph = ZooGraph(kMlp);
  const Checkpoint a = RandomWeights(graph, 1), b = RandomWeights(graph, 2);
  EXPECT_TRUE(SameContent(CorrectBiases(graph, a, a, b, 0), a));
  EXPECT_TRUE(SameContent(CorrectBiases(graph, b, a, b, 1), b));
}

TEST(CorrectBiases, TakesEqualSharesByDefault) {
  const Graph graph = ZooGraph(kMlp);
  const std::array models = {RandomWeights(graph, 1), RandomWeights(graph, 2)};
  const Checkpoint merged = Merged({models[0], models[1]}, {0.5, 0.5});
  EXPECT_TRUE(
      SameContent(CorrectBiases(graph, merged, models),
                  CorrectBiases(graph, merged, models[0], models[1], 0.5)));
}

// Two networks that use different halves of the hidden units: in the mean each
// computes its part with weights of its own share only, and the logits are the
// sum of theirs, shrunk by 1 / 4. With biases shrunk alike, exactly so.
TEST(CorrectBiases, MakesNetworksThatShareNoUnitsAddUp) {
  const Graph graph = ZooGraph("mlp:depth=1,width=2,in=1,out=1");
  const auto model = [](float unit0, float unit1, float bias) {
    return Checkpoint(
        {MakeTensor("fc1.weight", {2, 1}, std::vector{unit0, unit1}),
         MakeTensor("fc1.bias", {2}, std::vector{unit0, unit1}),
         MakeTensor("fc2.weight", {1, 2}, std::vector{unit0, unit1}),
         MakeTensor("fc2.bias", {1}, std::vector{bias})});
  };
  const Checkpoint a = model(1, 0, 4), b = model(0, 1, 8);
  const Checkpoint merged = Merged({a, b}, {0.5, 0.5});
  const Checkpoint corrected = CorrectBiases(graph, merged, a, b, 0.5);
  // f_A(x) = x + 1 + 4 and f_B(x) = x + 1 + 8 for x > 0; a quarter of the sum
  // has the bias 3 beside what comes through the hidden units.
  EXPECT_EQ(Values(corrected, "fc2.bias"), std::vector<double>{3});
  EXPECT_EQ(Values(merged, "fc2.bias"), std::vector<double>{6});
}

TEST(SlowCorrectBiases, RejectNetworksWithNorms) {
  for (const char* text :
       {"resnet20", "resnet20:norm=layer", "vgg16:norm=batch,head=cifar"}) {
    const Graph graph = ZooGraph(text);
    const Checkpoint model = RandomWeights(graph, 1);
    ExpectError(ErrorCode::kUnsupported, {"without normalisation"},
                [&] { CorrectBiases(graph, model, model, model, 0.5); });
  }
}

TEST(CorrectBiases, RejectsNetworksWithoutBiases) {
  GraphBuilder g;
  const ValueId x = g.Input("input", {2, 3});
  g.Output(zoo::Linear(g, "fc", x, 4, false), "output");
  const Graph graph = g.Build();
  const Checkpoint model = RandomWeights(graph, 1);
  ExpectError(ErrorCode::kUnsupported, {"no layer", "bias"},
              [&] { CorrectBiases(graph, model, model, model, 0.5); });
}

TEST(CorrectBiases, RejectsModelsAndSharesThatDoNotFit) {
  const Graph graph = ZooGraph(kMlp);
  const Checkpoint a = RandomWeights(graph, 1);
  const Checkpoint wide =
      RandomWeights(ZooGraph("mlp:depth=2,width=5,in=3,out=2"), 1);
  ExpectError(ErrorCode::kMismatch, {"fc1.bias", "[5]", "[4]"},
              [&] { CorrectBiases(graph, a, a, wide, 0.5); });
  ExpectError(ErrorCode::kMismatch, {"fc1.bias", "not in the model"},
              [&] { CorrectBiases(graph, a, a, Checkpoint(), 0.5); });
  ExpectError(ErrorCode::kUsage, {"between 0 and 1"},
              [&] { CorrectBiases(graph, a, a, a, 1.5); });
  const std::array models = {a, a};
  const std::array three = {0.5, 0.25, 0.25};
  ExpectError(ErrorCode::kUsage, {"3 weights for 2 models"},
              [&] { CorrectBiases(graph, a, models, three); });
}

}  // namespace
}  // namespace rebasin
