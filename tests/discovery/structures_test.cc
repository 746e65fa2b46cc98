// Structures that real networks are made of: attention in its forms, recurrent
// cells, shuffled channels. The symmetries are the ones that are derived by
// hand, and hold when the network is run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "discovery/structure.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;

class StructuresTest : public testing::Structure {};

TEST_F(StructuresTest, AttentionHasHeadsAndDimensionsWithinThem) {
  const ValueId x = Tokens();
  const ValueId q = SplitHeads(Dense(x, "q", kHeads * kSize), kHeads);
  const ValueId k = SplitHeads(Dense(x, "k", kHeads * kSize), kHeads);
  const ValueId v = SplitHeads(Dense(x, "v", kHeads * kSize), kHeads);
  b_.Output(Dense(JoinHeads(Attend(q, k, v)), "o", 5), "y");
  Found();
  EXPECT_THAT(Of("q"), ElementsAre("8", "q/0*q/1"));
  EXPECT_THAT(Of("k"), ElementsAre("8", "q/0*q/1"));
  EXPECT_THAT(Of("v"), ElementsAre("8", "q/0*v"));
  EXPECT_THAT(Of("o"), ElementsAre("q/0*v", "5"));
  EXPECT_EQ(Parent("q/1"), "q/0");
  EXPECT_EQ(Parent("v"), "q/0");
}

TEST_F(StructuresTest, FusedProjectionsFallApart) {
  const ValueId fused = Dense(Tokens(), "qkv", 3 * kHeads * kSize);
  const ValueId parts =
      Transpose(Reshape(fused, {0, 0, 3, kHeads, kSize}), {2, 0, 3, 1, 4});
  const ValueId out = Attend(Index(parts, 0), Index(parts, 1), Index(parts, 2));
  b_.Output(Dense(JoinHeads(out), "o", 5), "y");
  Found();
  EXPECT_THAT(Of("qkv"), ElementsAre("8", "2*qkv/0*qkv/1+qkv/0*qkv/2"));
  EXPECT_THAT(Of("o"), ElementsAre("qkv/0*qkv/2", "5"));
  EXPECT_EQ(Parent("qkv/1"), "qkv/0");
  EXPECT_EQ(Parent("qkv/2"), "qkv/0");
}

TEST_F(StructuresTest, FusedProjectionsCutIntoChunksAreTheSame) {
  const ValueId fused = Dense(Tokens(), "qkv", 3 * kHeads * kSize);
  const auto parts = b_.AddMany("Split", {fused}, {{"axis", int64_t{2}}}, 3);
  const ValueId out =
      Attend(SplitHeads(parts[0], kHeads), SplitHeads(parts[1], kHeads),
             SplitHeads(parts[2], kHeads));
  b_.Output(Dense(JoinHeads(out), "o", 5), "y");
  Found();
  EXPECT_THAT(Of("qkv"), ElementsAre("8", "2*qkv/0*qkv/1+qkv/0*qkv/2"));
}

// Slopes that differ from head to head fix the heads.
TEST_F(StructuresTest, ConstantsForEachHeadFixHeadsOnly) {
  const ValueId slopes = b_.Constant(MakeArray(
      Kind::kFloat, {kHeads, 1, kTokens}, {1, 2, 3, .5, 1, 1.5, .25, .5, .75}));
  const ValueId fused = Dense(Tokens(), "qkv", 3 * kHeads * kSize);
  const ValueId parts =
      Transpose(Reshape(fused, {0, 0, kHeads, 3, kSize}), {3, 0, 2, 1, 4});
  const ValueId scores = b_.Add(
      "MatMul", {Index(parts, 0), Transpose(Index(parts, 1), {0, 1, 3, 2})});
  const ValueId weights = b_.Add("Softmax", {b_.Add("Add", {scores, slopes})});
  const ValueId mixed = b_.Add("MatMul", {weights, Index(parts, 2)});
  b_.Output(Dense(JoinHeads(mixed), "o", 5), "y");
  Found();
  EXPECT_GE(discovery_.symmetry.Log10Order(), 2 * std::log10(24.0) - 1e-9);
}

TEST_F(StructuresTest, SeparateProjectionsWithConstantsForEachHead) {
  const ValueId slopes = b_.Constant(MakeArray(
      Kind::kFloat, {kHeads, 1, kTokens}, {1, 2, 3, .5, 1, 1.5, .25, .5, .75}));
  const ValueId x = Tokens();
  const ValueId q = SplitHeads(Dense(x, "q", kHeads * kSize), kHeads);
  const ValueId k = SplitHeads(Dense(x, "k", kHeads * kSize), kHeads);
  const ValueId v = SplitHeads(Dense(x, "v", kHeads * kSize), kHeads);
  const ValueId scores = b_.Add(
      "Add", {b_.Add("MatMul", {q, Transpose(k, {0, 1, 3, 2})}), slopes});
  const ValueId mixed = b_.Add("MatMul", {b_.Add("Softmax", {scores}), v});
  b_.Output(Dense(JoinHeads(mixed), "o", 5), "y");
  Found();
  EXPECT_THAT(Of("q"), ElementsAre("8", "q/0+q/1+q/2"));
  EXPECT_THAT(Of("k"), ElementsAre("8", "q/0+q/1+q/2"));
  EXPECT_THAT(Of("o"), ElementsAre("v/0+v/1+v/2", "5"));
}

// As torch.nn.MultiheadAttention is exported: tokens first, and heads merged
// with the batch.
TEST_F(StructuresTest, HeadsMergedWithTheBatchAreFound) {
  const ValueId x = b_.Input("x", {kTokens, kBatch, kWidth});
  const int64_t all = kHeads * kSize;
  const ValueId fused =
      b_.Add("Add", {Dense(x, "in", 3 * all), b_.Weight("in_bias", {3 * all})});
  const ValueId parts = b_.Add(
      "Squeeze", {Transpose(b_.Add("Unsqueeze", {Reshape(fused, {0, 0, 3, all}),
                                                 b_.Ints({0})}),
                            {3, 1, 2, 0, 4}),
                  b_.Ints({-2})});
  auto heads = [&](int64_t index) {
    return Transpose(
        Reshape(Index(parts, index), {kTokens, kBatch * kHeads, kSize}),
        {1, 0, 2});
  };
  const ValueId scores =
      b_.Add("MatMul", {heads(0), Transpose(heads(1), {0, 2, 1})});
  const ValueId mixed =
      b_.Add("MatMul", {b_.Add("Softmax", {scores}), heads(2)});
  const ValueId flat =
      Reshape(Transpose(mixed, {1, 0, 2}), {kTokens * kBatch, all});
  const ValueId y = b_.Add("Gemm", {flat, b_.Weight("o", {5, all})},
                           {{"transB", int64_t{1}}});
  b_.Output(y, "y");
  Found();
  EXPECT_THAT(Of("in"), ElementsAre("8", "2*in/0*in/1+in/0*in/2"));
  EXPECT_THAT(Of("in_bias"), ElementsAre("2*in/0*in/1+in/0*in/2"));
  EXPECT_THAT(Of("o"), ElementsAre("5", "in/0*in/2"));
  EXPECT_EQ(Parent("in/1"), "in/0");
}

TEST_F(StructuresTest, HeadsWithAnAxisOfTheirOwnAreTheSame) {
  const ValueId x = Tokens();
  auto einsum = [&](const std::string& equation, ValueId a, ValueId c) {
    return b_.Add("Einsum", {a, c}, {{"equation", equation}});
  };
  auto heads = [&](const std::string& name) {
    return einsum("bld,dhk->blhk", x, b_.Weight(name, {kWidth, kHeads, kSize}));
  };
  const ValueId q = heads("q");
  const ValueId scores = einsum("blhk,bmhk->bhlm", q, heads("k"));
  const ValueId mixed =
      einsum("bhlm,bmhk->blhk", b_.Add("Softmax", {scores}), heads("v"));
  b_.Output(einsum("blhk,hkd->bld", mixed, b_.Weight("o", {kHeads, kSize, 5})),
            "y");
  Found();
  EXPECT_THAT(Of("q"), ElementsAre("8", "q", "q/0"));
  EXPECT_THAT(Of("o"), ElementsAre("q", "v", "5"));
  EXPECT_EQ(Parent("q/0"), "q");
  EXPECT_EQ(Parent("v"), "q");
  EXPECT_EQ(Parent("q"), "");
}

TEST_F(StructuresTest, GroupedQueriesLieWithinTheirKeyHeads) {
  const int64_t kv = 2;
  const int64_t repeat = 3;
  const ValueId x = Tokens();
  auto repeated = [&](ValueId heads) {
    const ValueId wide =
        b_.Add("Expand", {b_.Add("Unsqueeze", {heads, b_.Ints({2})}),
                          b_.Ints({kBatch, kv, repeat, kTokens, kSize})});
    return Reshape(wide, {kBatch, kv * repeat, kTokens, kSize});
  };
  const ValueId q = SplitHeads(Dense(x, "q", kv * repeat * kSize), kv * repeat);
  const ValueId k = repeated(SplitHeads(Dense(x, "k", kv * kSize), kv));
  const ValueId v = repeated(SplitHeads(Dense(x, "v", kv * kSize), kv));
  b_.Output(Dense(JoinHeads(Attend(q, k, v)), "o", 5), "y");
  Found();
  EXPECT_THAT(Of("q"), ElementsAre("8", "q/0*q/1*q/2"));
  EXPECT_THAT(Of("k"), ElementsAre("8", "q/0*q/2"));
  EXPECT_THAT(Of("v"), ElementsAre("8", "q/0*v"));
  EXPECT_THAT(Of("o"), ElementsAre("q/0*q/1*v", "5"));
  EXPECT_EQ(Parent("q/1"), "q/0");
  EXPECT_EQ(Parent("q/2"), "q/0");
  EXPECT_EQ(Parent("v"), "q/0");
}

TEST_F(StructuresTest, RotaryEmbeddingsFixTheDimensionsOfQueriesAndKeys) {
  std::vector<double> cosines;
  std::vector<double> sines;
  for (int64_t t = 0; t < kTokens; ++t) {
    for (int64_t d = 0; d < kSize; ++d) {
      const double angle = double(t) / std::pow(10.0, double(d % (kSize / 2)));
      cosines.push_back(std::cos(angle));
      sines.push_back(std::sin(angle));
    }
  }
  const ValueId cosine =
      b_.Constant(MakeArray(Kind::kFloat, {kTokens, kSize}, cosines));
  const ValueId sine =
      b_.Constant(MakeArray(Kind::kFloat, {kTokens, kSize}, sines));
  auto slice = [&](ValueId x, int64_t begin, int64_t end) {
    return b_.Add("Slice", {x, b_.Ints({begin}), b_.Ints({end}), b_.Ints({3})});
  };
  auto rotate = [&](ValueId x) {
    const ValueId half = b_.Add(
        "Concat",
        {b_.Add("Neg", {slice(x, kSize / 2, kSize)}), slice(x, 0, kSize / 2)},
        {{"axis", int64_t{-1}}});
    return b_.Add("Add",
                  {b_.Add("Mul", {x, cosine}), b_.Add("Mul", {half, sine})});
  };
  const ValueId x = Tokens();
  const ValueId q = SplitHeads(Dense(x, "q", kHeads * kSize), kHeads);
  const ValueId k = SplitHeads(Dense(x, "k", kHeads * kSize), kHeads);
  const ValueId v = SplitHeads(Dense(x, "v", kHeads * kSize), kHeads);
  const ValueId out = JoinHeads(Attend(rotate(q), rotate(k), v));
  b_.Output(Dense(out, "o", 5), "y");
  Found();
  EXPECT_THAT(Of("q"), ElementsAre("8", "q*4"));
  EXPECT_THAT(Of("k"), ElementsAre("8", "q*4"));
  EXPECT_THAT(Of("v"), ElementsAre("8", "q*v"));
  EXPECT_EQ(Parent("v"), "q");
}

TEST_F(StructuresTest, AGainSharedByAllHeadsTiesTheirDimensions) {
  const ValueId x = Tokens();
  const ValueId q =
      b_.Add("Mul", {SplitHeads(Dense(x, "q", kHeads * kSize), kHeads),
                     b_.Weight("gain", {kSize})});
  const ValueId k = SplitHeads(Dense(x, "k", kHeads * kSize), kHeads);
  const ValueId v = SplitHeads(Dense(x, "v", kHeads * kSize), kHeads);
  b_.Output(Dense(JoinHeads(Attend(q, k, v)), "o", 5), "y");
  Found();
  EXPECT_THAT(Of("q"), ElementsAre("8", "q/0*q/1"));
  EXPECT_THAT(Of("gain"), ElementsAre("q/1"));
  EXPECT_EQ(Parent("q/1"), "");
}

TEST_F(StructuresTest, AMeanOverHeadsTiesTheirDimensions) {
  const ValueId heads =
      SplitHeads(Dense(Tokens(), "v", kHeads * kSize), kHeads);
  const ValueId mean =
      b_.Add("ReduceMean", {heads, b_.Ints({1})}, {{"keepdims", int64_t{0}}});
  b_.Output(Dense(mean, "o", 5), "y");
  Found();
  EXPECT_THAT(Of("v"), ElementsAre("8", "v/0*v/1"));
  EXPECT_THAT(Of("o"), ElementsAre("v/1", "5"));
  EXPECT_EQ(Parent("v/1"), "");
}

TEST_F(StructuresTest, ASoftmaxOverHeadsTiesTheirDimensions) {
  const ValueId heads =
      SplitHeads(Dense(Tokens(), "v", kHeads * kSize), kHeads);
  const ValueId soft = b_.Add("Softmax", {heads}, {{"axis", int64_t{1}}});
  b_.Output(Dense(JoinHeads(soft), "o", 5), "y");
  Found();
  EXPECT_THAT(Of("v"), ElementsAre("8", "v/0*v/1"));
  EXPECT_EQ(Parent("v/1"), "");
}

TEST_F(StructuresTest, HeadsThatMeetEachOtherTieTheirDimensions) {
  const ValueId x = Tokens();
  // [batch, tokens, heads, size] times its transpose over the heads.
  const ValueId q = Reshape(Dense(x, "q", kHeads * kSize), {0, 0, kHeads, -1});
  const ValueId k = Reshape(Dense(x, "k", kHeads * kSize), {0, 0, kHeads, -1});
  const ValueId gram = b_.Add("MatMul", {q, Transpose(k, {0, 1, 3, 2})});
  b_.Output(b_.Add("ReduceSum", {gram, b_.Ints({2, 3})}), "y");
  Found();
  EXPECT_THAT(Of("q"), ElementsAre("8", "q/0*q/1"));
  EXPECT_THAT(Of("k"), ElementsAre("8", "k*q/1"));
  EXPECT_EQ(Parent("q/1"), "");
}

// As PyTorch exports it: gates are reordered by slices and a concatenation.
class LstmTest : public StructuresTest {
 protected:
  static constexpr int64_t kHidden = 4;

  ValueId Gates(const std::string& name, const Shape& shape) {
    const ValueId w = b_.Weight(name, shape);
    auto gate = [&](int64_t i) {
      return b_.Add("Slice", {w, b_.Ints({i * kHidden}),
                              b_.Ints({(i + 1) * kHidden}), b_.Ints({0})});
    };
    return b_.Add("Concat", {gate(0), gate(3), gate(1), gate(2)},
                  {{"axis", int64_t{0}}});
  }
  ValueId Stacked(const std::vector<ValueId>& directions) {
    std::vector<ValueId> parts;
    for (ValueId id : directions) {
      parts.push_back(b_.Add("Unsqueeze", {id, b_.Ints({0})}));
    }
    if (parts.size() == 1) return parts[0];
    return b_.Add("Concat", parts, {{"axis", int64_t{0}}});
  }
  // [time, batch, in] -> [time, batch, directions * hidden]
  ValueId Layer(ValueId x, const std::string& name, int directions) {
    const int64_t in = b_.shape(x)[2];
    std::vector<ValueId> ws;
    std::vector<ValueId> rs;
    for (int d = 0; d < directions; ++d) {
      const std::string suffix = d == 0 ? "" : "_reverse";
      ws.push_back(Gates(name + "_ih" + suffix, {4 * kHidden, in}));
      rs.push_back(Gates(name + "_hh" + suffix, {4 * kHidden, kHidden}));
    }
    const ValueId y =
        b_.Add("LSTM", {x, Stacked(ws), Stacked(rs)},
               {{"hidden_size", kHidden},
                {"direction",
                 std::string(directions == 2 ? "bidirectional" : "forward")}});
    return Reshape(Transpose(y, {0, 2, 1, 3}), {0, 0, -1});
  }
};

TEST_F(LstmTest, UnitsArePermutedInAllGatesAndBothAxes) {
  const ValueId x = b_.Input("x", {5, kBatch, 3});
  b_.Output(Dense(Layer(Layer(x, "a", 1), "b", 1), "o", 3), "y");
  Found();
  EXPECT_THAT(Of("a_ih"), ElementsAre("4*a_ih", "3"));
  EXPECT_THAT(Of("a_hh"), ElementsAre("4*a_ih", "a_ih"));
  EXPECT_THAT(Of("b_ih"), ElementsAre("4*b_ih", "a_ih"));
  EXPECT_THAT(Of("o"), ElementsAre("b_ih", "3"));
}

TEST_F(LstmTest, DirectionsHaveUnitsOfTheirOwn) {
  const ValueId x = b_.Input("x", {5, kBatch, 3});
  b_.Output(Dense(Layer(Layer(x, "a", 2), "b", 2), "o", 3), "y");
  Found();
  EXPECT_THAT(Of("a_hh"), ElementsAre("4*a_ih", "a_ih"));
  EXPECT_THAT(Of("a_hh_reverse"),
              ElementsAre("4*a_ih_reverse", "a_ih_reverse"));
  EXPECT_THAT(Of("b_ih"), ElementsAre("4*b_ih", "a_ih+a_ih_reverse"));
  EXPECT_THAT(Of("b_ih_reverse"),
              ElementsAre("4*b_ih_reverse", "a_ih+a_ih_reverse"));
  EXPECT_THAT(Of("o"), ElementsAre("b_ih+b_ih_reverse", "3"));
}

TEST_F(StructuresTest, ShuffledChannelsStayIndependent) {
  const ValueId x = b_.Input("x", {2, 3, 4, 4});
  auto conv = [&](ValueId in, const std::string& name, int64_t out) {
    return b_.Add("Conv", {in, b_.Weight(name, {out, b_.shape(in)[1], 1, 1})});
  };
  const ValueId both = b_.Add("Concat", {conv(x, "a", 4), conv(x, "c", 4)},
                              {{"axis", int64_t{1}}});
  const ValueId shuffled = Reshape(
      Transpose(Reshape(both, {2, 2, 4, 4, 4}), {0, 2, 1, 3, 4}), {2, 8, 4, 4});
  const auto halves =
      b_.AddMany("Split", {shuffled}, {{"axis", int64_t{1}}}, 2);
  const ValueId y =
      b_.Add("Add", {conv(halves[0], "left", 3), conv(halves[1], "right", 3)});
  b_.Output(y, "y");
  Found();
  // Halves of either branch go to the same place, so they may be exchanged
  // within it; the interleaved axis itself has no name in a spec.
  EXPECT_GE(discovery_.symmetry.groups().size(), 2u);
}

}  // namespace
}  // namespace rebasin
