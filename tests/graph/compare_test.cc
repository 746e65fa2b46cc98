#include "graph/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Values and nodes by name, in any order.
class Sketch {
 public:
  ValueId Add(const std::string& name, Role role, Array constant = {}) {
    Value value;
    value.name = name;
    value.role = role;
    value.shape = role == Role::kConstant ? constant.shape : Shape{4};
    value.kind = role == Role::kConstant ? constant.kind : Kind::kFloat;
    value.constant = std::move(constant);
    values_.push_back(value);
    return static_cast<ValueId>(values_.size() - 1);
  }
  ValueId Input(const std::string& name) { return Add(name, Role::kInput); }
  ValueId Weight(const std::string& name) { return Add(name, Role::kWeight); }
  ValueId Number(double number) {
    return Add("c" + std::to_string(values_.size()), Role::kConstant,
               MakeArray(Kind::kFloat, {}, {number}));
  }
  ValueId Node(const std::string& op, std::vector<ValueId> inputs,
               Attributes attributes = {}) {
    const ValueId output =
        Add("v" + std::to_string(values_.size()), Role::kComputed);
    nodes_.push_back({op,
                      op + std::to_string(nodes_.size()),
                      std::move(inputs),
                      {output},
                      std::move(attributes)});
    return output;
  }
  Graph Finish(std::vector<ValueId> outputs) const {
    return Graph(values_, nodes_, std::move(outputs));
  }

 private:
  std::vector<Value> values_;
  std::vector<rebasin::Node> nodes_;
};

std::vector<std::string> Differences(const Graph& a, const Graph& b) {
  std::vector<std::string> texts;
  for (const GraphDifference& difference : CompareGraphs(a, b)) {
    texts.push_back(difference.text());
  }
  return texts;
}

Graph Scaled(const std::string& op, double number, Attributes attributes = {}) {
  Sketch sketch;
  const ValueId x = sketch.Input("x");
  const ValueId scaled = sketch.Node("Mul", {x, sketch.Number(number)});
  return sketch.Finish({sketch.Node(op, {scaled}, std::move(attributes))});
}

TEST(CompareGraphs, FindsNothingInEqualGraphs) {
  EXPECT_THAT(Differences(Scaled("Relu", 2), Scaled("Relu", 2)), IsEmpty());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(Differences(Scaled("Relu", nan), Scaled("Relu", nan)), IsEmpty());
}

TEST(CompareGraphs, NamesOperatorsConstantsAndAttributesInOrder) {
  EXPECT_THAT(
      Differences(Scaled("Elu", 2, {{"alpha", 0.5}}),
                  Scaled("Elu", 3, {{"alpha", 0.25}})),
      ElementsAre("Mul \"Mul0\": input 2 (a constant) 2 in A, 3 in B",
                  "Elu \"Elu1\": attribute \"alpha\" 0.5 in A, 0.25 in B"));
  EXPECT_THAT(Differences(Scaled("Relu", 2), Scaled("Tanh", 2)),
              ElementsAre("Relu \"Relu1\": operator Relu in A, Tanh in B"));
}

TEST(CompareGraphs, DefaultsNeedNotBeStated) {
  EXPECT_THAT(Differences(Scaled("Elu", 2, {{"alpha", 1.0}}), Scaled("Elu", 2)),
              IsEmpty());
  EXPECT_THAT(
      Differences(Scaled("Elu", 2, {{"alpha", 0.5}}), Scaled("Elu", 2)),
      ElementsAre(
          "Elu \"Elu1\": attribute \"alpha\" 0.5 in A, the default in B"));
  EXPECT_THAT(
      Differences(Scaled("Elu", 2, {{"alpha", 1.0}}),
                  Scaled("Elu", 2, {{"alpha", 0.5}})),
      ElementsAre("Elu \"Elu1\": attribute \"alpha\" 1 in A, 0.5 in B"));
}

TEST(CompareGraphs, WeightsAreKnownByName) {
  const auto graph = [](const char* first, const char* second) {
    Sketch sketch;
    const ValueId w = sketch.Weight("w"), v = sketch.Weight("v");
    const ValueId x = sketch.Input("x");
    const ValueId one = *first == 'w' ? w : v;
    const ValueId two = *second == 'w' ? w : v;
    return sketch.Finish(
        {sketch.Node("Sub", {sketch.Node("Mul", {x, one}), two})});
  };
  EXPECT_THAT(Differences(graph("w", "v"), graph("w", "v")), IsEmpty());
  EXPECT_THAT(Differences(graph("w", "v"), graph("v", "v")),
              ElementsAre("Mul \"Mul0\": input 2 weight \"w\" in A, weight "
                          "\"v\" in B"));
}

TEST(CompareGraphs, TheOrderOfSummandsDoesNotMatterButOfDifferencesItDoes) {
  const auto graph = [](const char* op, bool swapped) {
    Sketch sketch;
    const ValueId x = sketch.Input("x"), w = sketch.Weight("w");
    return sketch.Finish(
        {swapped ? sketch.Node(op, {w, x}) : sketch.Node(op, {x, w})});
  };
  EXPECT_THAT(Differences(graph("Add", false), graph("Add", true)), IsEmpty());
  EXPECT_THAT(Differences(graph("Sub", false), graph("Sub", true)), SizeIs(2));
}

TEST(CompareGraphs, SharedAndRepeatedComputationsAreTheSame) {
  Sketch shared, repeated;
  const ValueId x = shared.Input("x");
  const ValueId r = shared.Node("Relu", {x});
  const ValueId y = repeated.Input("x");
  const Graph a = shared.Finish({shared.Node("Mul", {r, r})});
  const ValueId r1 = repeated.Node("Relu", {y});
  const ValueId r2 = repeated.Node("Relu", {repeated.Node("Identity", {y})});
  EXPECT_THAT(Differences(a, repeated.Finish({repeated.Node("Mul", {r1, r2})})),
              IsEmpty());
}

TEST(CompareGraphs, InputsAreKnownByNameOrElseByPosition) {
  const auto graph = [](const char* first, const char* second, bool swapped) {
    Sketch sketch;
    const ValueId x = sketch.Input(first), y = sketch.Input(second);
    return sketch.Finish(
        {swapped ? sketch.Node("Sub", {y, x}) : sketch.Node("Sub", {x, y})});
  };
  EXPECT_THAT(Differences(graph("x", "y", false), graph("y", "x", true)),
              IsEmpty());
  EXPECT_THAT(Differences(graph("x", "y", false), graph("p", "q", false)),
              IsEmpty());
  EXPECT_THAT(Differences(graph("x", "y", false), graph("x", "y", true)),
              SizeIs(2));
}

TEST(CompareGraphs, TellsOfOutputsAndOfInputsLeftOut) {
  Sketch one, two;
  const ValueId x = one.Input("x");
  const Graph a = one.Finish({one.Node("Clip", {x, one.Number(0)})});
  const ValueId y = two.Input("x");
  const ValueId clipped = two.Node("Clip", {y});
  EXPECT_THAT(Differences(a, two.Finish({clipped, y})),
              ElementsAre("the graph: outputs 1 in A, 2 in B",
                          "Clip \"Clip0\": input 2 constant 0 in A, left out "
                          "in B"));
}

// A long chain, and a value that doubles with every node: both in linear time.
TEST(CompareGraphs, TakesLinearTime) {
  const auto graph = [](const char* first) {
    Sketch sketch;
    ValueId x = sketch.Node(first, {sketch.Input("x")});
    for (int i = 0; i < 50000; ++i) x = sketch.Node("Add", {x, x});
    for (int i = 0; i < 50000; ++i) x = sketch.Node("Identity", {x});
    return sketch.Finish({x, x, x, x});
  };
  EXPECT_THAT(Differences(graph("Relu"), graph("Relu")), IsEmpty());
  EXPECT_THAT(Differences(graph("Relu"), graph("Tanh")), SizeIs(1));
}

}  // namespace
}  // namespace rebasin
