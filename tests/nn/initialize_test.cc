#include <gtest/gtest.h>

#include <cmath>

#include "graph/builder.h"
#include "nn/small_networks.h"
#include "rebasin/nn/train.h"
#include "zoo/layers.h"

namespace rebasin {
namespace {

using testing::BytesOf;
using testing::NumbersOf;

Graph OneLayer(const std::function<ValueId(GraphBuilder&, ValueId)>& layer,
               Shape input) {
  GraphBuilder g;
  input.insert(input.begin(), kOpenSize);
  const ValueId x = g.Input("input", input, Kind::kFloat, {"batch"});
  g.Output(layer(g, x), "output");
  return g.Build();
}

// Mean and variance of a weight of a graph, as it starts.
void ExpectNormal(const Graph& graph, const std::string& weight,
                  Initialization initialization, double variance) {
  const auto numbers =
      NumbersOf(InitialWeights(graph, initialization, 3), weight);
  const auto count = static_cast<double>(numbers.size());
  double sum = 0, squares = 0;
  for (double number : numbers) {
    sum += number;
    squares += number * number;
  }
  ASSERT_GE(count, 4000);
  EXPECT_NEAR(sum / count, 0, 4 * std::sqrt(variance / count));
  EXPECT_NEAR(squares / count, variance, 0.1 * variance);
}

void ExpectFanIn(const Graph& graph, const std::string& weight, double fan_in) {
  ExpectNormal(graph, weight, Initialization::kKaiming, 2 / fan_in);
  ExpectNormal(graph, weight, Initialization::kLecun, 1 / fan_in);
}

void ExpectAll(const Checkpoint& model, const std::string& name,
               double expected) {
  for (double number : NumbersOf(model, name)) EXPECT_EQ(number, expected);
}

TEST(InitialWeights, OfAConvolutionGoByInputsTimesKernel) {
  const Graph graph = OneLayer(
      [](GraphBuilder& g, ValueId x) {
        return zoo::Conv2d(g, "conv", x, 80, {.kernel = 3, .bias = true});
      },
      {8, 5, 5});
  ExpectFanIn(graph, "conv.weight", 8 * 3 * 3);
  ExpectAll(InitialWeights(graph, Initialization::kKaiming, 1), "conv.bias", 0);
}

TEST(InitialWeights, OfAGroupedConvolutionGoByWhatOneOutputSees) {
  const Graph graph = OneLayer(
      [](GraphBuilder& g, ValueId x) {
        return zoo::Conv2d(g, "conv", x, 120, {.kernel = 3, .groups = 3});
      },
      {12, 5, 5});
  ExpectFanIn(graph, "conv.weight", 4 * 3 * 3);
}

TEST(InitialWeights, OfADenseLayerGoByItsInputs) {
  const Graph graph = OneLayer(
      [](GraphBuilder& g, ValueId x) { return zoo::Linear(g, "fc", x, 50); },
      {100});
  ExpectFanIn(graph, "fc.weight", 100);
  ExpectAll(InitialWeights(graph, Initialization::kKaiming, 1), "fc.bias", 0);
}

TEST(InitialWeights, OfAGemmGoByTheAxisThatIsSummed) {
  for (const int64_t transposed : {0, 1}) {
    const Graph graph = OneLayer(
        [&](GraphBuilder& g, ValueId x) {
          const Shape shape = transposed != 0 ? Shape{50, 100} : Shape{100, 50};
          return g.Add("Gemm", {x, g.Weight("w", shape)},
                       {{"transB", transposed}});
        },
        {100});
    ExpectFanIn(graph, "w", 100);
  }
}

TEST(InitialWeights, OfAProductGoByTheAxisThatIsSummed) {
  const Graph right = OneLayer(
      [](GraphBuilder& g, ValueId x) {
        return g.Add("MatMul", {x, g.Weight("w", {100, 50})});
      },
      {100});
  ExpectFanIn(right, "w", 100);
  const Graph turned = OneLayer(
      [](GraphBuilder& g, ValueId x) {
        const ValueId w = g.Add("Transpose", {g.Weight("w", {50, 100})},
                                {{"perm", std::vector<int64_t>{1, 0}}});
        return g.Add("MatMul", {x, w});
      },
      {100});
  ExpectFanIn(turned, "w", 100);
}

TEST(InitialWeights, OfNormsChangeNothing) {
  const auto graph = testing::SmallConvNet();
  const Checkpoint model = InitialWeights(*graph, Initialization::kKaiming, 1);
  ExpectAll(model, "bn1.weight", 1);
  ExpectAll(model, "bn1.bias", 0);
  ExpectAll(model, "bn1.running_mean", 0);
  ExpectAll(model, "bn1.running_var", 1);
  const Graph layer = OneLayer(
      [](GraphBuilder& g, ValueId x) { return zoo::LayerNorm(g, "ln", x); },
      {9});
  const Checkpoint norm = InitialWeights(layer, Initialization::kLecun, 1);
  ExpectAll(norm, "ln.weight", 1);
  ExpectAll(norm, "ln.bias", 0);
}

TEST(InitialWeights, DependOnTheSeedAlone) {
  const auto graph = testing::SmallConvNet();
  const auto bytes = [&](uint64_t seed) {
    return BytesOf(InitialWeights(*graph, Initialization::kKaiming, seed));
  };
  EXPECT_EQ(bytes(1), bytes(1));
  EXPECT_NE(bytes(1), bytes(2));
}

TEST(InitialWeights, OfEqualLayersDiffer) {
  const auto graph = testing::SmallMlp(8, 8, 8);
  const Checkpoint model = InitialWeights(*graph, Initialization::kKaiming, 1);
  EXPECT_NE(NumbersOf(model, "fc1.weight"), NumbersOf(model, "fc2.weight"));
}

}  // namespace
}  // namespace rebasin
