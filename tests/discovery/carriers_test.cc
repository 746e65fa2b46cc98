// Values that carry groups: when the weights are permuted, so are they, and
// nothing else happens to them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/random.h"
#include "discovery/discovered.h"
#include "graph/inference.h"
#include "graph/interpreter.h"
#include "rebasin/discovery.h"
#include "rebasin/merge.h"
#include "rebasin/zoo.h"

namespace rebasin {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::string NameOf(size_t carrier) { return "c" + std::to_string(carrier); }

// All carriers of the graph on random inputs, as the tensors of a model.
Checkpoint CarriersOf(const Graph& graph, const Discovery& discovery,
                      const Checkpoint& weights) {
  std::vector<ValueId> outputs;
  for (const Carrier& carrier : discovery.carriers) {
    outputs.push_back(carrier.value);
  }
  const Graph all(graph.values(), graph.nodes(), outputs);
  const std::vector<Shape> shapes = DefaultInputShapes(graph);
  Random random(5);
  std::vector<Array> inputs;
  for (const Shape& shape : shapes) {
    int64_t size = 1;
    for (int64_t s : shape) size *= s;
    std::vector<double> values(size);
    for (double& value : values) value = random.Normal();
    inputs.push_back(MakeArray(Kind::kFloat, shape, std::move(values)));
  }
  const std::vector<Array> found = RunGraph(
      all, Infer(all, shapes), inputs, [&](const Value& weight) -> Array {
        const auto floats = FloatsInPlace(*weights.Find(weight.name));
        return MakeArray(Kind::kFloat, weight.shape,
                         {floats.begin(), floats.end()});
      });
  std::vector<Tensor> tensors;
  for (size_t c = 0; c < found.size(); ++c) {
    const std::vector<float> floats(found[c].values().begin(),
                                    found[c].values().end());
    tensors.push_back(MakeTensor(NameOf(c), found[c].shape, floats));
  }
  return Checkpoint(std::move(tensors));
}

// The carriers, described as tensors of a model.
std::shared_ptr<const Symmetry> SymmetryOfCarriers(const Discovery& discovery) {
  std::vector<TensorSymmetry> tensors;
  for (size_t c = 0; c < discovery.carriers.size(); ++c) {
    tensors.push_back({.name = NameOf(c), .axes = discovery.carriers[c].axes});
  }
  return std::make_shared<const Symmetry>(discovery.symmetry.groups(), tensors);
}

class CarriersTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CarriersTest, ArePermutedAsTheirAxesSay) {
  const Graph graph = ZooGraph(GetParam());
  const Discovery discovery = Discover(graph);
  const Checkpoint model = testing::RandomWeights(graph, 1);
  const auto symmetry = std::make_shared<const Symmetry>(discovery.symmetry);
  constexpr uint64_t kSeed = 3;
  const Checkpoint moved = CarriersOf(
      graph, discovery, Permute(model, Alignment::Random(symmetry, kSeed)));
  // The same groups and seed give the same permutations.
  const Checkpoint expected =
      Permute(CarriersOf(graph, discovery, model),
              Alignment::Random(SymmetryOfCarriers(discovery), kSeed));
  for (const Tensor& tensor : expected.tensors()) {
    const auto x = FloatsInPlace(tensor);
    const auto y = FloatsInPlace(*moved.Find(tensor.name));
    double largest = 0, difference = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      largest = std::max<double>(largest, std::abs(x[i]));
      difference = std::max<double>(difference, std::abs(x[i] - y[i]));
    }
    EXPECT_LE(difference, 1e-5 * largest) << tensor.name;
  }
}

TEST_P(CarriersTest, ShowEveryGroup) {
  const Discovery discovery = Discover(ZooGraph(GetParam()));
  std::vector<bool> seen(discovery.symmetry.groups().size());
  for (const Carrier& carrier : discovery.carriers) {
    for (const Axis& axis : carrier.axes) {
      for (const Segment& segment : axis.segments) {
        for (const Factor& factor : segment) {
          if (factor.group != kNoGroup) seen[factor.group] = true;
        }
      }
    }
  }
  for (size_t g = 0; g < seen.size(); ++g) {
    EXPECT_TRUE(seen[g]) << discovery.symmetry.groups()[g].name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Architectures, CarriersTest,
    ::testing::Values("mlp:in=12,width=8",
                      "vgg11:divide=16,head=cifar,classes=10", "resnet20",
                      "resnet20:norm=layer",
                      "vit:depth=2,width=16,heads=4,mlp=24,image=32,classes=5",
                      "lstm:in=6,width=8,input=dense,sequence=4"));

TEST(Carriers, FollowTheShapeOfTheInputs) {
  const Graph graph = ZooGraph("mlp:in=12,width=8");
  const std::vector<Shape> shapes = {{7, 12}};
  const Discovery discovery = Discover(graph, shapes);
  ASSERT_EQ(discovery.carriers.size(), 3u);
  std::vector<std::string> axes;
  for (const Axis& axis : discovery.carriers[0].axes) {
    axes.push_back(AxisText(axis, discovery.symmetry.groups()));
  }
  EXPECT_THAT(axes, ElementsAre("7", "fc1"));
}

}  // namespace
}  // namespace rebasin
