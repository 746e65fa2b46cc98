// Where the best is chosen by scores that may be equal, the first of equals
// is. A symmetry that moves what is chosen from is then not proved, however
// rarely random weights give equal scores.

#include <gmock/gmock.h>

#include <memory>

#include "discovery/structure.h"
#include "rebasin/discovery.h"

namespace rebasin {
namespace {

using ::testing::IsEmpty;
using testing::RandomWeights;
using testing::Structure;

class TiesTest : public Structure {
 protected:
  static constexpr int64_t kExperts = 4, kOut = 3;

  ValueId Features() {
    const ValueId x = b_.Input("x", {kTokens, kWidth});
    return b_.Add("Add", {Dense(x, "in", kWidth), b_.Weight("bias", {kWidth})});
  }
  ValueId Scores(const std::string& squash) {
    const ValueId scores = Dense(Features(), "router", kExperts);
    return squash.empty() ? scores : b_.Add(squash, {scores});
  }
  ValueId Table() { return b_.Weight("table", {kExperts, kOut}); }

  // A spec in which the experts may change places.
  VerifyReport ProveExperts() {
    const Graph graph = b_.Build();
    const Group experts{.name = "experts", .size = kExperts};
    const Axis free{{{Factor{0, kExperts}}}};
    const auto fixed = [](int64_t size) {
      return Axis{{{Factor{kNoGroup, size}}}};
    };
    std::vector<TensorSymmetry> tensors = {
        {.name = "in", .axes = {fixed(kWidth), fixed(kWidth)}},
        {.name = "bias", .axes = {fixed(kWidth)}},
        {.name = "router", .axes = {fixed(kWidth), free}},
        {.name = "table", .axes = {free, fixed(kOut)}}};
    if (graph.FindWeight("last") != kNoValue) {
      tensors.push_back({.name = "last", .axes = {fixed(2), fixed(kOut)}});
    }
    const auto symmetry =
        std::make_shared<const Symmetry>(std::vector{experts}, tensors);
    return Verify(graph, RandomWeights(graph, 1),
                  Alignment::Random(symmetry, 2));
  }

  void ExpectTieBreakers(const std::vector<std::string>& groups) {
    const VerifyReport report = ProveExperts();
    EXPECT_TRUE(report.same);
    EXPECT_THAT(report.unproved, IsEmpty());
    EXPECT_EQ(report.tie_breakers, groups);
    EXPECT_EQ(report.proved(), groups.empty());
  }

  void Choose(ValueId scores) {
    const auto best =
        b_.AddMany("TopK", {scores, b_.Ints({2})}, {{"axis", int64_t{-1}}}, 2);
    const ValueId rows = b_.Add("Gather", {Table(), best[1]});
    b_.Output(b_.Add("ReduceSum", {rows, b_.Ints({1})}), "y");
  }
};

TEST_F(TiesTest, RoundedScores) {
  Choose(Scores("Round"));
  ExpectTieBreakers({"experts"});
}

TEST_F(TiesTest, ScoresAtABound) {
  Choose(Scores("HardSigmoid"));
  ExpectTieBreakers({"experts"});
}

TEST_F(TiesTest, ScoresThatAreZero) {
  Choose(Scores("Relu"));
  ExpectTieBreakers({"experts"});
}

TEST_F(TiesTest, ScoresThatDifferProveTheExperts) {
  Choose(Scores(""));
  ExpectTieBreakers({});
}

// What is chosen may count for nothing where its score is zero.
TEST_F(TiesTest, ScoresThatAreFactorsToo) {
  const auto best = b_.AddMany("TopK", {Scores("Relu"), b_.Ints({2})}, {}, 2);
  const ValueId rows = b_.Add("Gather", {Table(), best[1]});
  const ValueId gates = b_.Add("Unsqueeze", {best[0], b_.Ints({2})});
  b_.Output(b_.Add("ReduceSum", {b_.Add("Mul", {rows, gates}), b_.Ints({1})}),
            "y");
  ExpectTieBreakers({"experts"});
}

TEST_F(TiesTest, ScoresAlongAnotherAxis) {
  const auto best =
      b_.AddMany("TopK", {Transpose(Scores("Round"), {1, 0}), b_.Ints({2})},
                 {{"axis", int64_t{0}}}, 2);
  const ValueId rows = b_.Add("Gather", {Table(), best[1]});
  b_.Output(b_.Add("ReduceSum", {rows, b_.Ints({0})}), "y");
  ExpectTieBreakers({"experts"});
}

TEST_F(TiesTest, ScoresThatDifferAlongAnotherAxisProveTheExperts) {
  const auto best =
      b_.AddMany("TopK", {Transpose(Scores(""), {1, 0}), b_.Ints({2})},
                 {{"axis", int64_t{0}}}, 2);
  const ValueId rows = b_.Add("Gather", {Table(), best[1]});
  b_.Output(b_.Add("ReduceSum", {rows, b_.Ints({0})}), "y");
  ExpectTieBreakers({});
}

TEST_F(TiesTest, TheFirstOfTheLargest) {
  const ValueId best = b_.Add("ArgMax", {Scores("Round")},
                              {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}});
  b_.Output(b_.Add("Gather", {Table(), best}), "y");
  ExpectTieBreakers({"experts"});
}

TEST_F(TiesTest, OneAtTheFirstOfTheLargest) {
  b_.Output(b_.Add("MatMul", {b_.Add("Hardmax", {Scores("Round")}), Table()}),
            "y");
  ExpectTieBreakers({"experts"});
}

// Ranks by comparing all pairs: of equals, the first has the better rank.
TEST_F(TiesTest, RanksMadeOfComparisons) {
  const ValueId scores = Scores("Round");
  const ValueId mine = b_.Add("Unsqueeze", {scores, b_.Ints({2})});
  const ValueId theirs = b_.Add("Unsqueeze", {scores, b_.Ints({1})});
  std::vector<double> before;
  for (int64_t i = 0; i < kExperts; ++i) {
    for (int64_t j = 0; j < kExperts; ++j) before.push_back(j < i ? 1 : 0);
  }
  const ValueId first = b_.Constant(
      MakeArray(Kind::kBoolean, {kExperts, kExperts}, std::move(before)));
  const ValueId equal = b_.Add("And", {b_.Add("Equal", {theirs, mine}), first});
  const ValueId better =
      b_.Add("Or", {b_.Add("Greater", {theirs, mine}), equal});
  const ValueId rank =
      b_.Add("ReduceSum",
             {b_.Add("Cast", {better}, {{"to", int64_t{1}}}), b_.Ints({2})},
             {{"keepdims", int64_t{0}}});
  const ValueId chosen = b_.Add("Cast", {b_.Add("Less", {rank, b_.Float(0.5)})},
                                {{"to", int64_t{1}}});
  b_.Output(b_.Add("MatMul", {chosen, Table()}), "y");
  ExpectTieBreakers({"experts"});
}

// The largest scores are the same whichever of equals comes first.
TEST_F(TiesTest, ScoresWhosePlacesNobodyAsksFor) {
  const ValueId scores = Scores("Round");
  const auto best = b_.AddMany("TopK", {scores, b_.Ints({2})}, {}, 2);
  const ValueId used =
      b_.Add("MatMul", {best[0], b_.Weight("last", {2, kOut})});
  b_.Output(b_.Add("Add", {used, b_.Add("MatMul", {scores, Table()})}), "y");
  ExpectTieBreakers({});
}

// Equal scores of the second choice hide what was chosen first.
TEST_F(TiesTest, ScoresThatDependOnAChoice) {
  const ValueId first =
      b_.Add("ArgMax", {Scores("Round")},
             {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}});
  const ValueId rows = b_.Add("Round", {b_.Add("Gather", {Table(), first})});
  const ValueId second = b_.Add("ArgMax", {rows}, {{"axis", int64_t{1}}});
  b_.Output(b_.Add("Gather", {b_.Weight("last", {2, kOut}),
                              b_.Add("Min", {second, b_.Int(1)})}),
            "y");
  ExpectTieBreakers({"experts"});
}

// Two places whose scores are the same but for the last bit, which depends on
// the order of the units: of such places, the first one counts.
TEST_F(TiesTest, PlacesWhoseScoresDifferByRoundingAlone) {
  const ValueId x = b_.Input("x", {1, kWidth});
  const ValueId hidden = b_.Add("Tanh", {Dense(x, "in", 40)});
  const ValueId score = Dense(hidden, "score", 1);
  const ValueId tripled = b_.Add("Mul", {hidden, b_.Float(3)});
  const ValueId same = b_.Add("Div", {Dense(tripled, "score", 1), b_.Float(3)});
  const Attributes rows = {{"axis", int64_t{0}}};
  const auto best = b_.AddMany(
      "TopK", {b_.Add("Concat", {score, same}, rows), b_.Ints({1})}, rows, 2);
  const ValueId places = b_.Add("Concat", {x, b_.Add("Neg", {x})}, rows);
  b_.Output(b_.Add("Gather", {places, best[1]}), "place");
  b_.Output(best[0], "score");
  const Graph graph = b_.Build();
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(graph).symmetry);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_TRUE(Verify(graph, RandomWeights(graph, seed),
                       Alignment::Random(symmetry, seed + 1), {},
                       {.seed = seed})
                    .proved())
        << seed;
  }
}

// Tokens are chosen, not experts: their order does not change.
TEST_F(TiesTest, ScoresOfDataProveTheExperts) {
  const ValueId scores = Scores("Relu");
  const ValueId of_tokens = b_.Add("ReduceSum", {scores, b_.Ints({1})});
  const auto best =
      b_.AddMany("TopK", {of_tokens, b_.Ints({2})}, {{"axis", int64_t{0}}}, 2);
  const ValueId rows =
      Reshape(b_.Add("Gather", {scores, best[1]}), {2, kExperts});
  b_.Output(b_.Add("MatMul", {rows, Table()}), "y");
  ExpectTieBreakers({});
}

}  // namespace
}  // namespace rebasin
