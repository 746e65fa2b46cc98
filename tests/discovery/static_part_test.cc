// What is behind shapes that depend on data is proved by what goes into it.

#include "verify/static_part.h"

#include <gmock/gmock.h>

#include <memory>

#include "discovery/structure.h"
#include "discovery/traces.h"
#include "rebasin/discovery.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::RandomWeights;
using testing::Structure;

Axis Free(int group, int64_t size) { return {{{Factor{group, size}}}}; }
Axis Fixed(int64_t size) { return Free(kNoGroup, size); }

// A body, scores for each place, and a head for the places that score more
// than `least`: as many as there are.
class StaticPartTest : public Structure {
 protected:
  static constexpr int64_t kUnits = 5, kOut = 3;

  void Build(double least, const std::string& squash = "Tanh") {
    const ValueId x = b_.Input("x", {kTokens, kWidth});
    body_ = b_.Add(squash, {Dense(x, "body", kUnits)});
    const ValueId features = Dense(body_, "neck", kWidth);
    const ValueId scores =
        b_.Add("Sigmoid", {Reshape(Dense(features, "score", 1), {kTokens})});
    Choose(features, scores, least);
  }
  void Choose(ValueId features, ValueId scores, double least) {
    const ValueId chosen = b_.Add(
        "Transpose",
        {b_.Add("NonZero", {b_.Add("Greater", {scores, b_.Float(least)})})});
    const ValueId rows = b_.Add("GatherND", {features, chosen});
    b_.Output(b_.Add("MatMul", {rows, b_.Weight("head", {kWidth, kOut})}),
              "boxes");
  }

  std::shared_ptr<const Symmetry> Found(const Graph& graph) {
    return std::make_shared<const Symmetry>(Discover(graph).symmetry);
  }
  // A spec with one group, the body's units.
  std::shared_ptr<const Symmetry> Spec(std::vector<TensorSymmetry> tensors) {
    return std::make_shared<const Symmetry>(
        std::vector{Group{.name = "units", .size = kUnits}},
        std::move(tensors));
  }
  VerifyReport Prove(const Graph& graph,
                     const std::shared_ptr<const Symmetry>& symmetry) {
    return Verify(graph, RandomWeights(graph, 1),
                  Alignment::Random(symmetry, 2));
  }

  ValueId body_ = kNoValue;
};

TEST_F(StaticPartTest, EndsWhereShapesDependOnData) {
  Build(0.5);
  const Graph graph = b_.Build();
  const Traces traces(graph, SmallInputShapes(graph));
  const StaticPart part =
      FindStaticPart(graph, traces.inferences(), *Found(graph));
  ASSERT_TRUE(part.graph);
  EXPECT_THAT(part.late_weights, IsEmpty());
  EXPECT_EQ(part.graph->outputs().size(), 2);  // what is compared, features
  EXPECT_EQ(part.graph->FindWeight("head"), kNoValue);
  EXPECT_NE(part.graph->FindWeight("score"), kNoValue);
}

TEST_F(StaticPartTest, IsNothingIfAllShapesAreKnown) {
  const ValueId x = b_.Input("x", {kTokens, kWidth});
  b_.Output(Dense(b_.Add("Relu", {Dense(x, "in", 5)}), "out", 2), "y");
  const Graph graph = b_.Build();
  const Traces traces(graph, SmallInputShapes(graph));
  EXPECT_FALSE(FindStaticPart(graph, traces.inferences(), *Found(graph)).graph);
}

TEST_F(StaticPartTest, ProvesABodyWhoseHeadIsNeverReached) {
  Build(2);  // no score is
  const Graph graph = b_.Build();
  const auto symmetry = Found(graph);
  EXPECT_NE(symmetry->FindGroup("body"), kNoGroup);
  const VerifyReport report = Prove(graph, symmetry);
  EXPECT_TRUE(report.proved());
  EXPECT_TRUE(report.part);
  EXPECT_TRUE(report.small);
}

TEST_F(StaticPartTest, DoesNotProveUnitsThatAreDead) {
  const ValueId x = b_.Input("x", {kTokens, kWidth});
  const ValueId dead =
      b_.Add("Relu", {b_.Add("Sub", {b_.Add("Tanh", {Dense(x, "body", kUnits)}),
                                     b_.Float(2)})});
  const ValueId features = Dense(dead, "neck", kWidth);
  Choose(features, Reshape(Dense(features, "score", 1), {kTokens}), 0.5);
  const Graph graph = b_.Build();
  const VerifyReport report = Prove(graph, Found(graph));
  EXPECT_FALSE(report.proved());
  EXPECT_THAT(report.unproved, ElementsAre("body"));
}

// The body's units go into the head, and into an output that shows them.
class HeadTest : public StaticPartTest {
 protected:
  void Build(double least) {
    const ValueId x = b_.Input("x", {kTokens, kWidth});
    const ValueId body = b_.Add("Tanh", {Dense(x, "body", kUnits)});
    const ValueId scores =
        b_.Add("ReduceMean", {body, b_.Ints({1})}, {{"keepdims", int64_t{0}}});
    const ValueId chosen = b_.Add(
        "Transpose",
        {b_.Add("NonZero", {b_.Add("Greater", {scores, b_.Float(least)})})});
    const ValueId rows = b_.Add("GatherND", {body, chosen});
    b_.Output(b_.Add("MatMul", {rows, b_.Weight("head", {kUnits, kOut})}), "y");
    b_.Output(Dense(body, "other", 2), "z");
    graph_ = b_.Build();
  }

  VerifyReport ProveUnits(const Axis& in_head) {
    return Prove(graph_,
                 Spec({{.name = "body", .axes = {Fixed(kWidth), Units()}},
                       {.name = "head", .axes = {in_head, Fixed(kOut)}},
                       {.name = "other", .axes = {Units(), Fixed(2)}}}));
  }
  static Axis Units() { return Free(0, kUnits); }
};

constexpr double kSome = 0;
constexpr double kNone = 2;  // no mean of tanh is larger

TEST_F(HeadTest, IsProvedIfItIsReached) {
  Build(kSome);
  const VerifyReport report = ProveUnits(Units());
  EXPECT_TRUE(report.proved());
  EXPECT_FALSE(report.part);
}

TEST_F(HeadTest, IsNotProvedIfItIsNeverReached) {
  Build(kNone);
  const VerifyReport report = ProveUnits(Units());
  EXPECT_TRUE(report.same);
  EXPECT_THAT(report.unproved, ElementsAre("units"));
}

TEST_F(HeadTest, ThatASpecForgetsIsFoundIfItIsReached) {
  Build(kSome);
  EXPECT_FALSE(ProveUnits(Fixed(kUnits)).same);
}

TEST_F(HeadTest, ThatASpecForgetsIsNotProvedIfItIsNeverReached) {
  Build(kNone);
  const VerifyReport report = ProveUnits(Fixed(kUnits));
  EXPECT_TRUE(report.same);
  EXPECT_THAT(report.unproved, ElementsAre("units"));
}

// Random elements of two units are the identity every other time.
TEST_F(HeadTest, OfTwoUnitsThatMayNotMoveIsFoundWhateverTheSeed) {
  Build(0.4);  // few runs reach it
  const std::vector<TensorSymmetry> tensors = {
      {.name = "body", .axes = {Fixed(kWidth), Fixed(kUnits)}},
      {.name = "head", .axes = {Fixed(kUnits), Fixed(kOut)}},
      {.name = "other", .axes = {Fixed(kUnits), Free(0, 2)}}};
  const auto wrong = std::make_shared<const Symmetry>(
      std::vector{Group{.name = "two", .size = 2}}, tensors);
  EXPECT_EQ(EnoughElements(*wrong), 9);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<Alignment> elements;
    for (int e = 0; e < EnoughElements(*wrong); ++e) {
      elements.push_back(Alignment::Random(wrong, 100 * seed + e));
    }
    const Checkpoint model = RandomWeights(graph_, seed);
    EXPECT_FALSE(Verify(graph_, model, elements, {}, {.seed = seed}).proved());
  }
}

}  // namespace
}  // namespace rebasin
