#include "discovery/linear_system.h"

#include <gtest/gtest.h>

namespace rebasin {
namespace {

using Field = LinearSystem::Field;
using Form = LinearSystem::Form;

LinearSystem WithUnknowns(Field field, int count) {
  LinearSystem system(field);
  for (int i = 0; i < count; ++i) system.NewUnknown();
  return system;
}

TEST(LinearSystem, TheUnknownMetFirstStaysFree) {
  LinearSystem system = WithUnknowns(Field::kIntegers, 3);
  system.RequireEqual(1, 2);
  system.RequireEqual(0, 2);
  EXPECT_EQ(system.Resolve(0), (Form{{0, 1}}));
  EXPECT_EQ(system.Resolve(2), (Form{{0, 1}}));
}

TEST(LinearSystem, WhatCancelsIsOpposite) {
  LinearSystem system = WithUnknowns(Field::kIntegers, 2);
  system.Require({{0, 1}, {1, 1}});
  EXPECT_EQ(system.Resolve(1), (Form{{0, -1}}));
}

TEST(LinearSystem, AnUnknownEqualToItsOppositeIsZero) {
  LinearSystem system = WithUnknowns(Field::kIntegers, 2);
  system.Require({{0, 1}, {1, 1}});
  system.RequireEqual(0, 1);
  EXPECT_TRUE(system.Resolve(0).empty());
}

TEST(LinearSystem, ModuloTwoItIsFree) {
  LinearSystem system = WithUnknowns(Field::kModulo2, 2);
  system.Require({{0, 1}, {1, 1}});
  system.RequireEqual(0, 1);
  EXPECT_EQ(system.Resolve(1), (Form{{0, 1}}));
}

TEST(LinearSystem, CommonFactorsAreDivided) {
  LinearSystem system = WithUnknowns(Field::kIntegers, 2);
  system.Require({{0, 2}, {1, -2}});
  EXPECT_EQ(system.Resolve(1), (Form{{0, 1}}));
}

TEST(LinearSystem, WhatWholeNumbersCannotExpressIsZero) {
  LinearSystem system = WithUnknowns(Field::kIntegers, 2);
  system.Require({{0, 2}, {1, -3}});
  EXPECT_TRUE(system.Resolve(0).empty());
  EXPECT_TRUE(system.Resolve(1).empty());
}

TEST(LinearSystem, LongChainsNeedNoStack) {
  constexpr int kCount = 300000;
  LinearSystem system = WithUnknowns(Field::kIntegers, kCount);
  for (int i = kCount - 1; i > 0; --i) system.RequireEqual(i, i - 1);
  EXPECT_EQ(system.Resolve(kCount - 1), (Form{{0, 1}}));
  system.RequireZero(0);
  EXPECT_TRUE(system.Resolve(kCount / 2).empty());
}

}  // namespace
}  // namespace rebasin
