#include "lab/square_networks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "rebasin/merge.h"

namespace rebasin::lab {
namespace {

double Wanted(double x, double y) {
  return -(std::max(x, 0.0) + std::max(-y, 0.0));
}

void ExpectFunctionOfThePaper(const Checkpoint& network) {
  const SquareFunction f(network);
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) {
      const double x = SquareCoordinate(c, 8), y = SquareCoordinate(r, 8);
      EXPECT_NEAR(f({x, y}), Wanted(x, y), 1e-6) << x << ", " << y;
    }
  }
}

TEST(SquareNetworksTest, ComputeOneFunctionInTwoWays) {
  ExpectFunctionOfThePaper(SquareNetworkA());
  ExpectFunctionOfThePaper(SquareNetworkB());
  EXPECT_FALSE(SameContent(SquareNetworkA(), SquareNetworkB()));
}

TEST(SquareNetworksTest, AnswerAlwaysRight) {
  EXPECT_EQ(SquareErrors(SquareNetworkA()), 0);
  EXPECT_EQ(SquareErrors(SquareNetworkB()), 0);
}

TEST(SquareNetworksTest, ComputeTheSameWhenTheyAreWider) {
  for (const Checkpoint& network : {SquareNetworkA(), SquareNetworkB()}) {
    ExpectFunctionOfThePaper(WithCopies(network, 4));
    ExpectFunctionOfThePaper(WithDeadUnits(network, 3));
  }
  EXPECT_EQ(WithCopies(SquareNetworkA(), 4).Find("fc2.weight")->shape,
            (Shape{8, 8}));
  EXPECT_EQ(WithDeadUnits(SquareNetworkA(), 3).Find("fc2.weight")->shape,
            (Shape{5, 5}));
}

}  // namespace
}  // namespace rebasin::lab
