// Freedom that is easy to miss: the number of permutations that are found is
// the number that there are, derived by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "discovery/structure.h"

namespace rebasin {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

class FreedomTest : public testing::Structure {
 protected:
  ValueId Stride(ValueId x, int64_t begin, int64_t step);
  // Of tokens; a bias keeps them from being all zero.
  ValueId Features() {
    return b_.Add("Add", {b_.Input("x", {kTokens, kWidth}),
                          b_.Weight("features", {kWidth})});
  }
  // A convolution with kernels of one place.
  ValueId Convolve(ValueId x, const char* name, int64_t out, int64_t groups) {
    const int64_t each = b_.shape(x)[1] / groups;
    return b_.Add("Conv", {x, b_.Weight(name, {out, each, 1})},
                  {{"group", groups}});
  }
};

// As in GPT-NeoX and BLOOM: q, k and v of each head lie together.
TEST_F(FreedomTest, ProjectionsFusedHeadByHeadAreToldApart) {
  const ValueId fused = Dense(Tokens(), "qkv", 3 * kHeads * kSize);
  const ValueId parts =
      Transpose(Reshape(fused, {0, 0, kHeads, 3, kSize}), {3, 0, 2, 1, 4});
  const ValueId out = Attend(Index(parts, 0), Index(parts, 1), Index(parts, 2));
  b_.Output(Dense(JoinHeads(out), "o", 5), "y");
  Found();
  EXPECT_THAT(Of("qkv"), ElementsAre("8", "qkv/0*(2*qkv/1+qkv/2)"));
  EXPECT_THAT(Of("o"), ElementsAre("qkv/0*qkv/2", "5"));
  EXPECT_EQ(Parent("qkv/1"), "qkv/0");
  EXPECT_EQ(Parent("qkv/2"), "qkv/0");
  // heads! * (size! * size!) ^ heads
  ExpectOrder({kHeads, kSize, kSize, kSize, kSize, kSize, kSize});
}

// The same cut out of each head by slices, with values of another size.
TEST_F(FreedomTest, ProjectionsCutOutOfEachHeadAreToldApart) {
  const int64_t each = 2 * kSize + 5;
  const ValueId fused = Dense(Tokens(), "qkv", kHeads * each);
  const ValueId heads =
      Transpose(Reshape(fused, {0, 0, kHeads, each}), {0, 2, 1, 3});
  const auto parts = b_.AddMany("Split", {heads, b_.Ints({kSize, kSize, 5})},
                                {{"axis", int64_t{3}}}, 3);
  const ValueId out = Attend(parts[0], parts[1], parts[2]);
  b_.Output(Dense(JoinHeads(out), "o", 5), "y");
  Found();
  EXPECT_THAT(Of("qkv"), ElementsAre("8", "qkv/0*(2*qkv/1+qkv/2)"));
  EXPECT_THAT(Of("o"), ElementsAre("qkv/0*qkv/2", "5"));
  ExpectOrder({kHeads, kSize, kSize, kSize, 5, 5, 5});
}

// Both directions of a recurrent layer in one tensor have units of their own.
TEST_F(FreedomTest, BothDirectionsOfALayer) {
  constexpr int64_t kHidden = 5;
  const ValueId x = b_.Input("x", {kTokens, kBatch, kWidth});
  const ValueId w = b_.Weight("w", {2, 4 * kHidden, kWidth});
  const ValueId r = b_.Weight("r", {2, 4 * kHidden, kHidden});
  const ValueId bias = b_.Weight("b", {2, 8 * kHidden});
  const ValueId y = b_.AddMany(
      "LSTM", {x, w, r, bias},
      {{"hidden_size", kHidden}, {"direction", std::string("bidirectional")}},
      1)[0];
  // [tokens, 2, batch, hidden] -> [tokens, batch, 2 * hidden]
  const ValueId joined = Reshape(Transpose(y, {0, 2, 1, 3}), {0, 0, -1});
  b_.Output(Dense(joined, "o", 3), "y");
  Found();
  EXPECT_THAT(Of("r"), ElementsAre("1 | 1", "4*w/0 | 4*w/1", "w/0 | w/1"));
  EXPECT_THAT(Of("o"), ElementsAre("w/0+w/1", "3"));
  ExpectOrder({kHidden, kHidden});
}

// The two halves of its columns are not those of its rows.
TEST_F(FreedomTest, ASquareMatrixBehindBothDirections) {
  constexpr int64_t kHidden = 5;
  const ValueId x = b_.Input("x", {kTokens, kBatch, kWidth});
  const ValueId w = b_.Weight("w", {2, 3 * kHidden, kWidth});
  const ValueId r = b_.Weight("r", {2, 3 * kHidden, kHidden});
  const ValueId y = b_.AddMany(
      "GRU", {x, w, r},
      {{"hidden_size", kHidden}, {"direction", std::string("bidirectional")}},
      1)[0];
  const ValueId joined = Reshape(Transpose(y, {0, 2, 1, 3}), {0, 0, -1});
  const ValueId gate = b_.Add("Sigmoid", {Dense(joined, "m", 2 * kHidden)});
  b_.Output(Dense(b_.Add("Mul", {joined, gate}), "o", 3), "y");
  Found();
  EXPECT_THAT(Of("m"), ElementsAre("w/0+w/1", "w/0+w/1"));
  EXPECT_THAT(Of("o"), ElementsAre("w/0+w/1", "3"));
  ExpectOrder({kHidden, kHidden});
}

// Only the second direction's last state is used: the units of the first are
// read by nobody but themselves.
TEST_F(FreedomTest, ADirectionThatNobodyReadsIsFixed) {
  constexpr int64_t kHidden = 5;
  const ValueId x = b_.Input("x", {kTokens, kBatch, kWidth});
  const ValueId w = b_.Weight("w", {2, 3 * kHidden, kWidth});
  const ValueId r = b_.Weight("r", {2, 3 * kHidden, kHidden});
  const ValueId last = b_.AddMany(
      "GRU", {x, w, r},
      {{"hidden_size", kHidden}, {"direction", std::string("bidirectional")}},
      2)[1];
  b_.Output(Dense(Index(last, -1), "o", 3), "y");
  Found();
  EXPECT_THAT(Of("r"), ElementsAre("1 | 1", "15 | 3*w", "5 | w"));
  ExpectOrder({kHidden});
  EXPECT_THAT(
      discovery_.fixed,
      Contains(AllOf(Field(&FixedAxis::weight, "w"), Field(&FixedAxis::axis, 1),
                     Field(&FixedAxis::reason, HasSubstr("is never read")))));
}

TEST_F(FreedomTest, AFirstDirectionThatAloneIsReadIsFree) {
  constexpr int64_t kHidden = 7;
  const ValueId x = b_.Input("x", {kTokens, kBatch, kWidth});
  const ValueId w = b_.Weight("w", {2, 4 * kHidden, kWidth});
  const ValueId r = b_.Weight("r", {2, 4 * kHidden, kHidden});
  const ValueId y = b_.AddMany(
      "LSTM", {x, w, r},
      {{"hidden_size", kHidden}, {"direction", std::string("bidirectional")}},
      1)[0];
  const ValueId first =
      b_.Add("Slice", {y, b_.Ints({0}), b_.Ints({1}), b_.Ints({1})});
  b_.Output(Dense(first, "o", 3), "y");
  Found();
  EXPECT_THAT(Of("w"), ElementsAre("1 | 1", "4*w | 28", "8"));
  ExpectOrder({kHidden});
}

ValueId FreedomTest::Stride(ValueId x, int64_t begin, int64_t step) {
  return b_.Add("Slice", {x, b_.Ints({begin}), b_.Ints({1 << 20}),
                          b_.Ints({-1}), b_.Ints({step})});
}

// Every second unit is the gate of the one before it: pairs move.
TEST_F(FreedomTest, GatesBetweenTheirUnits) {
  const ValueId x = Dense(b_.Input("x", {kBatch, 3}), "in", 10);
  const ValueId gate = b_.Add("Sigmoid", {Stride(x, 1, 2)});
  b_.Output(Dense(b_.Add("Mul", {Stride(x, 0, 2), gate}), "o", 3), "y");
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("3", "in*2"));
  ExpectOrder({5});
}

// What is read of a unit there is not all that there is: no sign passes.
TEST_F(FreedomTest, StridedUnitsHaveNoSigns) {
  const ValueId x = b_.Input("x", {kBatch, 3});
  const ValueId hidden = b_.Add("Tanh", {Dense(x, "in", 10)});
  b_.Output(Dense(Stride(hidden, 0, 2), "o", 3), "y");
  Found();
  const auto options = DiscoverOptions{.scales = true, .signs = true};
  EXPECT_TRUE(Discover(graph_, options).symmetry.scalings().empty());
}

TEST_F(FreedomTest, ChosenExpertsHaveNoSigns) {
  const ValueId x = Features();
  const auto best = b_.AddMany("TopK", {Dense(x, "router", 4), b_.Ints({2})},
                               {{"axis", int64_t{-1}}}, 2);
  b_.Output(b_.Add("Gather", {b_.Weight("table", {4, 3}), best[1]}), "y");
  Found();
  ExpectOrder({4});
  const auto options = DiscoverOptions{.scales = true, .signs = true};
  EXPECT_TRUE(Discover(graph_, options).symmetry.scalings().empty());
}

// Units are cut apart where a norm's groups end.
TEST_F(FreedomTest, GroupsThatCrossTheBorderOfAConcatenation) {
  const ValueId x = b_.Input("x", {kBatch, 3});
  const ValueId joined = b_.Add("Concat", {Dense(x, "a", 6), Dense(x, "b", 4)},
                                {{"axis", int64_t{1}}});
  const ValueId groups = Reshape(joined, {0, 2, 5});
  const ValueId normed = b_.Add("Softmax", {groups});
  b_.Output(Dense(Reshape(normed, {0, 10}), "o", 3), "y");
  Found();
  EXPECT_THAT(Of("a"), ElementsAre("3", "a+1"));
  ExpectOrder({5, 4});
}

TEST_F(FreedomTest, GroupedConvolutionOfAConcatenation) {
  const ValueId x = b_.Input("x", {kBatch, 3, 4});
  const ValueId joined =
      b_.Add("Concat", {Convolve(x, "a", 6, 1), Convolve(x, "b", 6, 1)},
             {{"axis", int64_t{1}}});
  b_.Output(Convolve(Convolve(joined, "g", 6, 3), "o", 2, 1), "y");
  Found();
  // a: 4 in the first group, 2 in the second; b: 2 and 4; 2 outputs a group
  ExpectOrder({4, 2, 2, 4, 2, 2, 2});
}

// As in ShuffleNet: grouped 1x1, shuffle, grouped.
TEST_F(FreedomTest, GroupedConvolutionsWithShuffledChannels) {
  const ValueId x = b_.Input("x", {kBatch, 3, 4});
  const ValueId first = Convolve(Convolve(x, "in", 8, 1), "first", 12, 2);
  const ValueId shuffled = Reshape(
      Transpose(Reshape(first, {0, 2, 6, 4}), {0, 2, 1, 3}), {0, 12, 4});
  b_.Output(Convolve(Convolve(shuffled, "second", 6, 2), "o", 2, 1), "y");
  Found();
  // Groups of the first and of the second; units of `in`; of `first`; of
  // `second`. Units of `first` really have a permutation for each pair of
  // groups, 3! * 3! more: no group lies within two others.
  ExpectOrder({2, 2, 4, 4, 3, 3, 3, 3});
}

// The best experts are chosen by their numbers, and their weights by these.
TEST_F(FreedomTest, ExpertsWhoseWeightsARouterChooses) {
  constexpr int64_t kExperts = 5, kHidden = 6;
  const ValueId x = Features();
  const auto best =
      b_.AddMany("TopK", {Dense(x, "router", kExperts), b_.Ints({2})},
                 {{"axis", int64_t{-1}}}, 2);
  const ValueId gates = b_.Add("Softmax", {best[0]});
  const ValueId up =
      b_.Add("Gather", {b_.Weight("up", {kExperts, kWidth, kHidden}), best[1]});
  const ValueId down =
      b_.Add("Gather", {b_.Weight("down", {kExperts, kHidden, 3}), best[1]});
  const ValueId rows = Reshape(x, {0, 1, 1, kWidth});
  const ValueId hidden = b_.Add("Relu", {b_.Add("MatMul", {rows, up})});
  const ValueId out = Reshape(b_.Add("MatMul", {hidden, down}), {0, 2, 3});
  const ValueId weighted = b_.Add("Mul", {out, Reshape(gates, {0, 2, 1})});
  b_.Output(b_.Add("ReduceSum", {weighted, b_.Ints({1})}), "y");
  Found();
  ExpectOrder({kExperts, kHidden, kHidden, kHidden, kHidden, kHidden});
}

// What happens to the units of chosen experts between two layers decides
// whether each expert has them in an order of its own.
class ChosenExpertsTest : public FreedomTest {
 protected:
  static constexpr int64_t kExperts = 4, kHidden = 5, kBest = 2;

  void SetUp() override {
    x_ = Features();
    best_ =
        b_.AddMany("TopK", {Dense(x_, "router", kExperts), b_.Ints({kBest})},
                   {{"axis", int64_t{-1}}}, 2)[1];
    const ValueId up = Chosen("up", {kExperts, kWidth, kHidden}, best_);
    const ValueId rows = Reshape(x_, {0, 1, 1, kWidth});
    hidden_ = b_.Add("Relu", {b_.Add("MatMul", {rows, up})});  // t, k, 1, h
  }
  ValueId Chosen(const char* name, Shape shape, ValueId by) {
    return b_.Add("Gather", {b_.Weight(name, std::move(shape)), by});
  }
  void Finish(ValueId hidden, ValueId by) {
    const ValueId down = Chosen("down", {kExperts, kHidden, 3}, by);
    const ValueId out = b_.Add("MatMul", {hidden, down});
    b_.Output(b_.Add("ReduceSum", {out, b_.Ints({1})}), "y");
    Found();
  }
  void ExpectOwnOrders() {
    ExpectOrder({kExperts, kHidden, kHidden, kHidden, kHidden});
  }
  void ExpectOneOrder() { ExpectOrder({kExperts, kHidden}); }

  ValueId x_ = kNoValue, best_ = kNoValue, hidden_ = kNoValue;
};

TEST_F(ChosenExpertsTest, HaveBiases) {
  const ValueId bias =
      Reshape(Chosen("bias", {kExperts, kHidden}, best_), {0, kBest, 1, -1});
  Finish(b_.Add("Tanh", {b_.Add("Add", {hidden_, bias})}), best_);
  ExpectOwnOrders();
}

TEST_F(ChosenExpertsTest, MayHaveTheirTokensFlattened) {
  const ValueId flat = Reshape(hidden_, {kTokens * kBest, kHidden});
  const ValueId back =
      Reshape(b_.Add("Softmax", {flat}), {kTokens, kBest, 1, kHidden});
  Finish(back, best_);
  ExpectOwnOrders();
}

// As exporters of today write it. Positions that are made anew might be others,
// for all that is known of them.
TEST_F(ChosenExpertsTest, MayBeChosenByTuplesOfOneNumber) {
  const ValueId by = b_.Add("Unsqueeze", {best_, b_.Ints({-1})});
  const ValueId gate =
      b_.Add("GatherND", {b_.Weight("gate", {kExperts, 1, kHidden}), by});
  Finish(b_.Add("Mul", {hidden_, gate}), best_);
  ExpectOneOrder();
}

TEST_F(FreedomTest, ExpertsThatAreChosenByTuplesOfOneNumber) {
  constexpr int64_t kExperts = 3, kHidden = 5;
  const ValueId x = Features();
  const ValueId best =
      b_.AddMany("TopK", {Dense(x, "router", kExperts), b_.Ints({1})},
                 {{"axis", int64_t{-1}}}, 2)[1];
  const ValueId by = b_.Add("Unsqueeze", {best, b_.Ints({-1})});
  const auto chosen = [&](const char* name, Shape shape) {
    return b_.Add("GatherND", {b_.Weight(name, std::move(shape)), by});
  };
  const ValueId up = chosen("up", {kExperts, kWidth, kHidden});
  const ValueId down = chosen("down", {kExperts, kHidden, 3});
  const ValueId rows = Reshape(x, {0, 1, 1, kWidth});
  const ValueId hidden = b_.Add("Relu", {b_.Add("MatMul", {rows, up})});
  b_.Output(b_.Add("MatMul", {hidden, down}), "y");
  Found();
  ExpectOrder({kExperts, kHidden, kHidden, kHidden});
}

TEST_F(ChosenExpertsTest, HaveOneOrderWhereAllShareABias) {
  Finish(b_.Add("Add", {hidden_, b_.Weight("bias", {kHidden})}), best_);
  ExpectOneOrder();
}

TEST_F(ChosenExpertsTest, HaveOneOrderWhereTokensAreMixed) {
  Finish(b_.Add("Softmax", {hidden_}, {{"axis", int64_t{0}}}), best_);
  ExpectOneOrder();
}

TEST_F(ChosenExpertsTest, HaveOneOrderWhereExpertsOfATokenAreMixed) {
  const ValueId mean = b_.Add("ReduceMean", {hidden_, b_.Ints({1})});
  Finish(b_.Add("Add", {hidden_, mean}), best_);
  ExpectOneOrder();
}

TEST_F(ChosenExpertsTest, HaveOneOrderWhereTokensAreRolled) {
  const auto part = [&](int64_t begin, int64_t end) {
    return b_.Add("Slice",
                  {hidden_, b_.Ints({begin}), b_.Ints({end}), b_.Ints({0})});
  };
  Finish(
      b_.Add("Concat", {part(1, kTokens), part(0, 1)}, {{"axis", int64_t{0}}}),
      best_);
  ExpectOneOrder();
}

TEST_F(ChosenExpertsTest, HaveOneOrderWhereOthersAreChosenNext) {
  const ValueId other =
      b_.AddMany("TopK", {Dense(x_, "second", kExperts), b_.Ints({kBest})},
                 {{"axis", int64_t{-1}}}, 2)[1];
  Finish(hidden_, other);
  // `down` goes with the second router.
  ExpectOrder({kExperts, kExperts, kHidden});
}

TEST_F(ChosenExpertsTest, HaveOneOrderWhereTheBestChangePlaces) {
  const ValueId swapped =
      b_.Add("Gather", {hidden_, b_.Ints({1, 0})}, {{"axis", int64_t{1}}});
  Finish(swapped, best_);
  ExpectOneOrder();
}

// All experts work, and what the router chose is written back among zeros.
TEST_F(FreedomTest, ExpertsWhoseResultsARouterChooses) {
  constexpr int64_t kExperts = 4, kHidden = 5;
  const ValueId x = Features();
  const ValueId scores = b_.Add("Softmax", {Dense(x, "router", kExperts)});
  const auto best =
      b_.AddMany("TopK", {scores, b_.Ints({2})}, {{"axis", int64_t{-1}}}, 2);
  const ValueId zeros =
      b_.Constant(MakeArray(Kind::kFloat, {kTokens, kExperts},
                            std::vector<double>(kTokens * kExperts, 0)));
  const ValueId gates = b_.Add("ScatterElements", {zeros, best[1], best[0]},
                               {{"axis", int64_t{1}}});
  const ValueId up = b_.Weight("up", {kExperts, kWidth, kHidden});
  const ValueId down = b_.Weight("down", {kExperts, kHidden, 3});
  const ValueId hidden = b_.Add(
      "Relu",
      {b_.Add("Einsum", {x, up}, {{"equation", std::string("td,edh->teh")}})});
  b_.Output(b_.Add("Einsum", {hidden, down, gates},
                   {{"equation", std::string("teh,eho,te->to")}}),
            "y");
  Found();
  ExpectOrder({kExperts, kHidden, kHidden, kHidden, kHidden});
}

TEST_F(FreedomTest, ExpertsThatAreChosenAlongTheFirstAxis) {
  constexpr int64_t kExperts = 5;
  const ValueId scores =
      Transpose(Dense(Features(), "router", kExperts), {1, 0});
  const auto best =
      b_.AddMany("TopK", {scores, b_.Ints({2})}, {{"axis", int64_t{0}}}, 2);
  const ValueId table = b_.Weight("table", {kExperts, 3});
  b_.Output(b_.Add("Gather", {table, best[1]}), "y");
  Found();
  ExpectOrder({kExperts});
}

// The scores of different tokens may be equal.
TEST_F(FreedomTest, ChosenAlongTokensNothingIsFree) {
  const ValueId scores = Dense(Features(), "router", 1);
  const auto best =
      b_.AddMany("TopK", {scores, b_.Ints({2})}, {{"axis", int64_t{0}}}, 2);
  b_.Output(best[1], "y");
  Found();
  ExpectOrder({});
}

// Equal scores are the rule after a ReLU: the first of them would be chosen.
TEST_F(FreedomTest, ExpertsOfWhichManyScoreTheSameAreFixed) {
  constexpr int64_t kExperts = 5;
  const ValueId x = Features();
  const ValueId scores = b_.Add("Relu", {Dense(x, "router", kExperts)});
  const auto best =
      b_.AddMany("TopK", {scores, b_.Ints({2})}, {{"axis", int64_t{-1}}}, 2);
  const ValueId table = b_.Weight("table", {kExperts, 3});
  b_.Output(b_.Add("Gather", {table, best[1]}), "y");
  Found();
  ExpectOrder({});
}

// So they are where all features may be zero, and nothing is added.
TEST_F(FreedomTest, ExpertsThatScoreNothingWithoutFeaturesAreFixed) {
  constexpr int64_t kExperts = 5;
  const ValueId x = b_.Add("Relu", {Features()});
  const auto best =
      b_.AddMany("TopK", {Dense(x, "router", kExperts), b_.Ints({2})},
                 {{"axis", int64_t{-1}}}, 2);
  const ValueId table = b_.Weight("table", {kExperts, 3});
  b_.Output(b_.Add("Gather", {table, best[1]}), "y");
  Found();
  ExpectOrder({});
}

// A norm's factors are not what makes features zero.
TEST_F(FreedomTest, ExpertsBehindARootMeanSquareNormAreFree) {
  constexpr int64_t kExperts = 5;
  const ValueId x = Features();
  const ValueId squares = b_.Add("Pow", {x, b_.Float(2)});
  const ValueId mean = b_.Add("ReduceMean", {squares, b_.Ints({-1})});
  const ValueId root = b_.Add("Sqrt", {b_.Add("Add", {mean, b_.Float(1e-6)})});
  const ValueId factor = b_.Add("Div", {b_.Float(1), root});
  const ValueId normed = b_.Add("Mul", {x, factor});
  const auto best =
      b_.AddMany("TopK", {Dense(normed, "router", kExperts), b_.Ints({2})},
                 {{"axis", int64_t{-1}}}, 2);
  const ValueId table = b_.Weight("table", {kExperts, 3});
  b_.Output(b_.Add("Gather", {table, best[1]}), "y");
  Found();
  ExpectOrder({kExperts});
}

// Positions that are used as numbers depend on the order of the experts.
TEST_F(FreedomTest, PositionsThatAreNumbersFixWhatTheyCount) {
  constexpr int64_t kExperts = 5;
  const ValueId x = Features();
  const auto best =
      b_.AddMany("TopK", {Dense(x, "router", kExperts), b_.Ints({2})},
                 {{"axis", int64_t{-1}}}, 2);
  b_.Output(b_.Add("Add", {best[1], b_.Ints({1})}), "y");
  Found();
  ExpectOrder({});
}

// Each expert has tensors of its own; what they say is weighed and added up.
class ListsOfExpertsTest : public FreedomTest {
 protected:
  static constexpr int64_t kExperts = 4, kHidden = 5;

  ValueId Biased(ValueId x, const std::string& name, int64_t width) {
    const ValueId bias = b_.Weight(name + ".bias", {width});
    return b_.Add("Add", {Dense(x, name + ".weight", width), bias});
  }
  ValueId Expert(ValueId x, int64_t e, const std::string& prefix = "experts.") {
    const std::string name = prefix + std::to_string(e);
    const ValueId hidden = b_.Add("Relu", {Biased(x, name + ".up", kHidden)});
    return Biased(hidden, name + ".down", 3);
  }
  ValueId Column(ValueId gates, int64_t e) {
    return b_.Add("Slice",
                  {gates, b_.Ints({e}), b_.Ints({e + 1}), b_.Ints({1})});
  }
  ValueId Sum(const std::vector<ValueId>& terms) {
    ValueId sum = terms[0];
    for (size_t t = 1; t < terms.size(); ++t) {
      sum = b_.Add("Add", {sum, terms[t]});
    }
    return sum;
  }
  void ExpectListOfExperts() {
    ExpectOrder({kExperts, kHidden, kHidden, kHidden, kHidden});
    EXPECT_THAT(Of("experts.2.up.bias"), ElementsAre("experts.0.up"));
    EXPECT_EQ(Parent("experts.0.up"), "experts");
    const auto& lists = discovery_.symmetry.lists();
    EXPECT_TRUE(lists.contains("experts.*.up.weight"));
    EXPECT_TRUE(lists.contains("experts.*.down.weight"));
  }
};

TEST_F(ListsOfExpertsTest, WithScores) {
  const ValueId x = Features();
  const ValueId gates = b_.Add("Softmax", {Dense(x, "router", kExperts)});
  std::vector<ValueId> terms;
  for (int64_t e = 0; e < kExperts; ++e) {
    terms.push_back(b_.Add("Mul", {Expert(x, e), Column(gates, e)}));
  }
  b_.Output(Sum(terms), "y");
  Found();
  EXPECT_THAT(Of("router"), ElementsAre("8", "experts"));
  ExpectListOfExperts();
}

TEST_F(ListsOfExpertsTest, WithScoresOfTheBest) {
  const ValueId x = Features();
  const auto best =
      b_.AddMany("TopK", {Dense(x, "router", kExperts), b_.Ints({2})},
                 {{"axis", int64_t{-1}}}, 2);
  const ValueId zeros =
      b_.Constant(MakeArray(Kind::kFloat, {kTokens, kExperts},
                            std::vector<double>(kTokens * kExperts, 0)));
  const ValueId gates =
      b_.Add("ScatterElements", {zeros, best[1], b_.Add("Softmax", {best[0]})},
             {{"axis", int64_t{1}}});
  std::vector<ValueId> terms;
  for (int64_t e = 0; e < kExperts; ++e) {
    const ValueId gate = Reshape(
        b_.Add("Gather", {gates, b_.Int(e)}, {{"axis", int64_t{1}}}), {-1, 1});
    terms.push_back(b_.Add("Mul", {gate, Expert(x, e)}));
  }
  b_.Output(Sum(terms), "y");
  Found();
  ExpectListOfExperts();
}

TEST_F(ListsOfExpertsTest, Stacked) {
  const ValueId x = Features();
  const ValueId gates = b_.Add("Softmax", {Dense(x, "router", kExperts)});
  std::vector<ValueId> results;
  for (int64_t e = 0; e < kExperts; ++e) {
    results.push_back(Reshape(Expert(x, e), {0, 1, 3}));
  }
  const ValueId stack = b_.Add("Concat", results, {{"axis", int64_t{1}}});
  const ValueId weighed =
      b_.Add("Mul", {stack, Reshape(gates, {0, kExperts, 1})});
  b_.Output(b_.Add("ReduceSum", {weighed, b_.Ints({1})}), "y");
  Found();
  ExpectListOfExperts();
}

// In whatever order they come, and beside others that are not of the list.
TEST_F(ListsOfExpertsTest, WithScoresInAnotherOrder) {
  const ValueId x = Features();
  const auto gates =
      b_.AddMany("Split",
                 {b_.Add("Sigmoid", {Dense(x, "router", kExperts)}),
                  b_.Ints({1, 1, 1, 1})},
                 {{"axis", int64_t{1}}}, kExperts);
  std::vector<ValueId> terms = {Dense(x, "shared", 3)};
  for (int64_t e : {2, 0, 3, 1}) {
    terms.push_back(b_.Add("Mul", {Expert(x, e), gates[e]}));
  }
  b_.Output(Sum(terms), "y");
  Found();
  EXPECT_EQ(Of("experts.3.up.bias"), Of("experts.0.up.bias"));
  ExpectOrder({kExperts, kHidden, kHidden, kHidden, kHidden});
}

TEST_F(ListsOfExpertsTest, WithoutScores) {
  const ValueId x = Features();
  std::vector<ValueId> terms;
  for (int64_t e = 0; e < kExperts; ++e) terms.push_back(Expert(x, e));
  b_.Output(Sum(terms), "y");
  Found();
  ExpectListOfExperts();
}

// What tells one of the experts apart leaves the order of the others.
TEST_F(ListsOfExpertsTest, AreWithoutWhatIsUsedElsewhere) {
  const ValueId x = Features();
  std::vector<ValueId> terms;
  for (int64_t e = 0; e < kExperts; ++e) terms.push_back(Expert(x, e));
  b_.Output(b_.Add("Mul", {Sum(terms), b_.Add("Tanh", {terms[1]})}), "y");
  Found();
  ExpectOrder({kExperts - 1, kHidden, kHidden, kHidden, kHidden});
}

TEST_F(ListsOfExpertsTest, AreFixedWhereScoresAreFixed) {
  const ValueId x = Features();
  const ValueId gates = Dense(x, "router", kExperts);
  std::vector<ValueId> terms;
  for (int64_t e = 0; e < kExperts; ++e) {
    terms.push_back(b_.Add("Mul", {Expert(x, e), Column(gates, e)}));
  }
  b_.Output(Sum(terms), "y");
  b_.Output(gates, "scores");
  Found();
  ExpectOrder({kHidden, kHidden, kHidden, kHidden});
}

TEST_F(ListsOfExpertsTest, AreFixedWhereScoresHaveAnOrder) {
  const ValueId x = Features();
  const ValueId gates =
      b_.Add("CumSum", {Dense(x, "router", kExperts), b_.Int(1)});
  std::vector<ValueId> terms;
  for (int64_t e = 0; e < kExperts; ++e) {
    terms.push_back(b_.Add("Mul", {Expert(x, e), Column(gates, e)}));
  }
  b_.Output(Sum(terms), "y");
  Found();
  ExpectOrder({kHidden, kHidden, kHidden, kHidden});
}

// One expert's function is another than that of the others.
TEST_F(ListsOfExpertsTest, HoldOnlyWhatIsAlike) {
  const ValueId x = Features();
  std::vector<ValueId> terms;
  for (int64_t e = 0; e < kExperts; ++e) terms.push_back(Expert(x, e));
  terms.push_back(b_.Add("Tanh", {Expert(x, kExperts)}));
  b_.Output(Sum(terms), "y");
  Found();
  ExpectOrder({kExperts, kHidden, kHidden, kHidden, kHidden, kHidden});
}

// A tensor is in one list at most: that of the outer branches.
TEST_F(ListsOfExpertsTest, WithinOthersKeepTheirOrder) {
  const ValueId x = Features();
  std::vector<ValueId> terms;
  for (int64_t e = 0; e < kExperts; ++e) {
    const ValueId both = Sum({Expert(x, 0, "a" + std::to_string(e) + "."),
                              Expert(x, 1, "a" + std::to_string(e) + ".")});
    terms.push_back(b_.Add("Tanh", {both}));
  }
  b_.Output(Sum(terms), "y");
  Found();
  ExpectOrder({kExperts, kHidden, kHidden, kHidden, kHidden, kHidden, kHidden,
               kHidden, kHidden});
}

// Two layers, one of which shares its router's scores with the other.
TEST_F(ListsOfExpertsTest, MayHaveOneOrderInTwoLayers) {
  const ValueId x = Features();
  const ValueId gates = b_.Add("Softmax", {Dense(x, "router", kExperts)});
  std::vector<ValueId> terms, more;
  for (int64_t e = 0; e < kExperts; ++e) {
    terms.push_back(b_.Add("Mul", {Expert(x, e), Column(gates, e)}));
  }
  const ValueId y = Sum(terms);
  for (int64_t e = 0; e < kExperts; ++e) {
    more.push_back(b_.Add("Mul", {Expert(y, e, "more."), Column(gates, e)}));
  }
  b_.Output(Sum(more), "y");
  Found();
  ExpectOrder({kExperts, 3, kHidden, kHidden, kHidden, kHidden, kHidden,
               kHidden, kHidden, kHidden});
}

}  // namespace
}  // namespace rebasin
