#include "discovery/algebra.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rebasin {
namespace {

using ::testing::ElementsAre;

constexpr Cause kWhy = 7;

class AlgebraTest : public ::testing::Test {
 protected:
  Expression Now(const Expression& e) { return algebra_.Resolve(e); }
  AxisAlgebra algebra_;
};

TEST_F(AlgebraTest, EqualAtomsBecomeOne) {
  const Expression a = algebra_.FreeAxis(8);
  const Expression b = algebra_.FreeAxis(8);
  algebra_.Unify(a, b, kWhy);
  EXPECT_EQ(Now(a), Now(b));
  EXPECT_FALSE(algebra_.IsFixed(Now(a)));
}

TEST_F(AlgebraTest, WhatMeetsAFixedAxisIsFixedForTheSameReason) {
  const Expression a = algebra_.FreeAxis(8);
  algebra_.Unify(a, algebra_.FixedAxis(8, 3), kWhy);
  EXPECT_TRUE(algebra_.IsFixed(Now(a)));
  EXPECT_EQ(algebra_.cause(Now(a)[0][0]), 3);
}

TEST_F(AlgebraTest, AnAtomTakesTheFormOfAFlattenedAxis) {
  const Expression channels = algebra_.FreeAxis(8);
  const Expression positions = algebra_.FixedAxis(49, kWhy);
  const Expression flat =
      algebra_.Flattened(std::vector<Expression>{channels, positions});
  const Expression input = algebra_.FreeAxis(8 * 49);
  algebra_.Unify(input, flat, kWhy);
  EXPECT_EQ(Now(input), flat);
}

TEST_F(AlgebraTest, AnAtomTakesTheFormOfAConcatenation) {
  const AtomId a = algebra_.Free(3);
  const AtomId b = algebra_.Free(5);
  const Expression whole = algebra_.FreeAxis(8);
  algebra_.Unify(whole, {{a}, {b}}, kWhy);
  EXPECT_THAT(Now(whole), ElementsAre(Product{a}, Product{b}));
}

TEST_F(AlgebraTest, BordersOfDifferentConcatenationsRefineEachOther) {
  const AtomId a = algebra_.Free(3);
  const AtomId b = algebra_.Free(5);
  const AtomId c = algebra_.Free(6);
  const AtomId d = algebra_.Free(2);
  algebra_.Unify({{a}, {b}}, {{c}, {d}}, kWhy);
  const Expression sum = Now({{a}, {b}});
  EXPECT_EQ(sum, Now({{c}, {d}}));
  ASSERT_EQ(sum.size(), 3u);
  EXPECT_EQ(algebra_.SizeOf(sum[1]), 3);
}

TEST_F(AlgebraTest, DifferentFactoringsRefineEachOther) {
  const AtomId a = algebra_.Free(16);
  const AtomId b = algebra_.FreeWithin(4, a);
  const AtomId c = algebra_.Free(32);
  const AtomId d = algebra_.FreeWithin(2, c);
  algebra_.Unify({{a, b}}, {{c, d}}, kWhy);
  const Expression product = Now({{a, b}});
  EXPECT_EQ(product, Now({{c, d}}));
  ASSERT_EQ(product[0].size(), 3u);
  EXPECT_EQ(algebra_.size(product[0][1]), 2);
}

TEST_F(AlgebraTest, FactoringsThatHaveNothingInCommonAreFixed) {
  const AtomId a = algebra_.Free(4);
  const AtomId b = algebra_.FreeWithin(6, a);
  const AtomId c = algebra_.Free(6);
  const AtomId d = algebra_.FreeWithin(4, c);
  algebra_.Unify({{a, b}}, {{c, d}}, kWhy);
  EXPECT_TRUE(algebra_.IsFixed(Now({{a, b}})));
  EXPECT_TRUE(algebra_.IsFixed(Now({{c, d}})));
}

TEST_F(AlgebraTest, ABorderInsideAFlattenedUnitFixesIt) {
  const AtomId channels = algebra_.Free(4);
  const AtomId positions = algebra_.Fixed(9, kWhy);
  algebra_.SplitAt({{channels, positions}}, 10, kWhy);
  EXPECT_TRUE(algebra_.IsFixed(Now({{channels}})));
}

TEST_F(AlgebraTest, ABorderBetweenFlattenedUnitsSplitsThem) {
  const AtomId channels = algebra_.Free(4);
  const AtomId positions = algebra_.Fixed(9, kWhy);
  const Expression flat = {{channels, positions}};
  algebra_.SplitAt(flat, 9, kWhy);
  EXPECT_EQ(algebra_.SizeOf(algebra_.Part(flat, 9, 36)), 27);
  EXPECT_FALSE(algebra_.IsFixed(algebra_.Part(flat, 9, 36)));
}

TEST_F(AlgebraTest, InstancesWithinAFixedAtomAreIndependent) {
  const AtomId three = algebra_.Fixed(3, kWhy);
  const AtomId heads = algebra_.FreeWithin(4, three);
  const AtomId dims = algebra_.FreeWithin(8, heads);
  const Expression q = algebra_.Instance({{heads, dims}}, three, 0);
  const Expression k = algebra_.Instance({{heads, dims}}, three, 1);
  EXPECT_NE(Now(q), Now(k));
  algebra_.Unify({{q[0][0]}}, {{k[0][0]}}, kWhy);
  EXPECT_EQ(Now(q)[0][0], Now(k)[0][0]);
  EXPECT_NE(Now(q)[0][1], Now(k)[0][1]);
  EXPECT_EQ(algebra_.Outer(Now(q)[0][1]), Now(q)[0][0]);
}

TEST_F(AlgebraTest, WithdrawingAClaimMakesInstancesOne) {
  const AtomId three = algebra_.Fixed(3, kWhy);
  const AtomId heads = algebra_.FreeWithin(4, three);
  const Expression q = algebra_.Instance({{heads}}, three, 0);
  const Expression k = algebra_.Instance({{heads}}, three, 1);
  algebra_.Withdraw(heads);
  EXPECT_EQ(Now(q), Now(k));
}

TEST_F(AlgebraTest, AFamilyIsTiedInstanceByInstance) {
  const AtomId two = algebra_.Fixed(2, kWhy);
  const AtomId family = algebra_.FreeWithin(4, two);
  const AtomId a = algebra_.Free(4);
  const AtomId b = algebra_.Free(4);
  algebra_.Unify({{two, family}}, {{a}, {b}}, kWhy);
  EXPECT_NE(Now({{a}}), Now({{b}}));
  EXPECT_EQ(Now(algebra_.Instance({{family}}, two, 1)), Now({{b}}));
}

TEST_F(AlgebraTest, ClaimsThatDisagreeMeetInWhatTheyShare) {
  const AtomId kv = algebra_.Free(2);
  const AtomId repeat = algebra_.FreeWithin(3, kv);
  const AtomId query_dims = algebra_.FreeWithin(8, repeat);
  const AtomId key_dims = algebra_.FreeWithin(8, kv);
  algebra_.Unify({{query_dims}}, {{key_dims}}, kWhy);
  EXPECT_EQ(algebra_.Outer(Now({{query_dims}})[0][0]), kv);
}

TEST_F(AlgebraTest, ClaimsInACircleAreNone) {
  const AtomId a = algebra_.Free(3);
  const AtomId b = algebra_.FreeWithin(3, a);
  const AtomId c = algebra_.FreeWithin(3, b);
  algebra_.Unify({{a}}, {{c}}, kWhy);
  EXPECT_EQ(algebra_.Outer(Now({{b}})[0][0]), kNoAtom);
}

TEST_F(AlgebraTest, ASumBehindAFreeFactorIsKept) {
  const AtomId heads = algebra_.Free(4);
  const AtomId dims = algebra_.FreeWithin(8, heads);
  algebra_.SplitAt({{dims}}, 5, kWhy);
  const Expression axis = Now({{heads, dims}});
  ASSERT_EQ(axis.size(), 1u);
  ASSERT_TRUE(algebra_.EndsInSum(axis[0]));
  const Expression sum = algebra_.LastSum(axis[0]);
  ASSERT_EQ(sum.size(), 2u);
  EXPECT_EQ(algebra_.SizeOf(sum[0]), 5);
  EXPECT_EQ(algebra_.SizeOf(sum[1]), 3);
  EXPECT_EQ(algebra_.Outer(sum[0][0]), heads);
  EXPECT_EQ(algebra_.Multiplied(axis).size(), 2u);
}

TEST_F(AlgebraTest, ASumBetweenFreeFactorsIsGivenUp) {
  const AtomId heads = algebra_.Free(4);
  const AtomId dims = algebra_.Free(8);
  const AtomId inner = algebra_.Free(3);
  algebra_.SplitAt({{dims}}, 4, kWhy);
  const Expression axis = Now({{heads, dims, inner}});
  ASSERT_EQ(axis.size(), 1u);
  EXPECT_FALSE(algebra_.IsFixed(axis[0][0]));
  EXPECT_TRUE(algebra_.IsFixed(axis[0][1]));
}

// heads*(a+b) and heads*(c+d) with borders at other places have three parts.
TEST_F(AlgebraTest, SumsBehindOneFactorAreUnifiedPartByPart) {
  const AtomId heads = algebra_.Free(4);
  const AtomId p = algebra_.Free(8);
  const AtomId q = algebra_.Free(8);
  algebra_.SplitAt({{p}}, 5, kWhy);
  algebra_.SplitAt({{q}}, 2, kWhy);
  algebra_.Unify({{heads, p}}, {{heads, q}}, kWhy);
  const Expression axis = Now({{heads, p}});
  EXPECT_EQ(axis, Now({{heads, q}}));
  ASSERT_TRUE(algebra_.EndsInSum(axis[0]));
  EXPECT_EQ(algebra_.LastSum(axis[0]).size(), 3u);
}

}  // namespace
}  // namespace rebasin
