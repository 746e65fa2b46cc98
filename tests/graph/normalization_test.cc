#include <gtest/gtest.h>

#include <cmath>

#include "graph/run_op.h"

namespace rebasin::testing {
namespace {

const Attributes kNoEpsilon = {{"epsilon", 0.0}};

Array Vector(std::vector<double> values) {
  const int64_t size = static_cast<int64_t>(values.size());
  return Floats({size}, std::move(values));
}

TEST(BatchNormalization, UsesRunningStatistics) {
  const auto results =
      RunAll("BatchNormalization",
             {Floats({1, 2, 2}, {1, 2, 3, 4}), Vector({2, 1}), Vector({0, 10}),
              Vector({1, 2}), Vector({4, 1})},
             {{"epsilon", 0.0}, {"training_mode", int64_t{1}}}, 3);
  EXPECT_THAT(results[0], Is({1, 2, 2}, {0, 1, 11, 12}));
  EXPECT_THAT(results[1], Is({2}, {1, 2}));
  EXPECT_THAT(results[2], Is({2}, {4, 1}));
}

TEST(BatchNormalization, RefusesStatisticsOfOtherChannels) {
  ExpectBad("BatchNormalization",
            {Iota({1, 2}), Iota({2}), Iota({2}), Iota({3}), Iota({2})}, {},
            {"input 3 [3] does not fit [1, 2]"});
}

TEST(InstanceNormalization, NormalisesEachPlane) {
  EXPECT_THAT(
      RunOp("InstanceNormalization",
            {Floats({1, 2, 2}, {1, 3, 10, 30}), Vector({1, 2}), Vector({5, 0})},
            kNoEpsilon),
      Is({1, 2, 2}, {4, 6, -2, 2}));
}

TEST(GroupNormalization, TakesScalesPerGroupOrPerChannel) {
  const Array x = Floats({1, 4, 1}, {1, 3, 10, 30});
  const Attributes attributes = {{"epsilon", 0.0}, {"num_groups", int64_t{2}}};
  EXPECT_THAT(RunOp("GroupNormalization", {x, Vector({1, 2}), Vector({0, 7})},
                    attributes),
              Is({1, 4, 1}, {-1, 1, 5, 9}));
  EXPECT_THAT(
      RunOp("GroupNormalization",
            {x, Vector({1, 2, 3, 4}), Vector({0, 0, 0, 1})}, attributes),
      Is({1, 4, 1}, {-1, 2, -3, 5}));
}

TEST(GroupNormalization, RefusesUnevenGroups) {
  ExpectBad("GroupNormalization", {Iota({1, 4}), Iota({3}), Iota({3})},
            {{"num_groups", int64_t{3}}},
            {"4 channels cannot be divided into 3 groups"});
  ExpectBad("GroupNormalization", {Iota({1, 4}), Iota({3}), Iota({3})},
            {{"num_groups", int64_t{2}}}, {"scale [3]"});
}

TEST(LayerNormalization, GivesItsStatistics) {
  const auto results =
      RunAll("LayerNormalization",
             {Floats({2, 2}, {1, 3, 10, 30}), Vector({1, 2}), Vector({0, 1})},
             kNoEpsilon, 3);
  EXPECT_THAT(results[0], Is({2, 2}, {-1, 3, -1, 3}));
  EXPECT_THAT(results[1], Is({2, 1}, {2, 20}));
  EXPECT_THAT(results[2], Is({2, 1}, {1, 0.1}));
}

TEST(LayerNormalization, NormalisesAllAxesFromTheOneGiven) {
  EXPECT_THAT(
      RunOp("LayerNormalization",
            {Floats({1, 2, 2}, {1, 1, 3, 3}), Floats({2, 2}, {1, 1, 1, 2})},
            {{"epsilon", 0.0}, {"axis", int64_t{1}}}),
      Is({1, 2, 2}, {-1, -1, 1, 2}));
  ExpectBad("LayerNormalization", {Iota({2, 3}), Iota({2})}, {},
            {"do not fit"});
}

TEST(LayerNormalization, RefusesToNormaliseNothing) {
  ExpectBad("LayerNormalization", {Iota({2, 0}), Iota({0})}, {},
            {"nothing to normalise"});
}

TEST(MeanVarianceNormalization, NormalisesOverTheAxesGiven) {
  EXPECT_THAT(RunOp("MeanVarianceNormalization",
                    {Floats({2, 2}, {1, 10, 3, 30})}, {{"axes", List({0})}}),
              Is({2, 2}, {-1, -1, 1, 1}));
}

TEST(Lrn, DividesByNeighbouringChannels) {
  EXPECT_THAT(
      RunOp(
          "LRN", {Floats({1, 3}, {1, 2, 3})},
          {{"size", int64_t{2}}, {"alpha", 2.0}, {"beta", 1.0}, {"bias", 1.0}}),
      Is({1, 3}, {1.0 / 6, 2.0 / 14, 3.0 / 10}));
  ExpectBad("LRN", {Iota({1, 3})}, {{"size", int64_t{0}}}, {"size 0"});
}

TEST(Softmax, WorksAlongOneAxis) {
  const double l = std::log(3.0);
  const Array x = Floats({2, 2}, {0, 0, l, 0});
  EXPECT_THAT(RunOp("Softmax", {x}), Is({2, 2}, {0.5, 0.5, 0.75, 0.25}));
  EXPECT_THAT(RunOp("Softmax", {x}, {{"axis", int64_t{0}}}),
              Is({2, 2}, {0.25, 0.5, 0.75, 0.5}));
  EXPECT_THAT(RunOp("LogSoftmax", {x}),
              Is({2, 2}, {std::log(0.5), std::log(0.5), std::log(0.75),
                          std::log(0.25)}));
  EXPECT_THAT(RunOp("Softmax", {Floats({2}, {1e4, 1e4})}), Is({2}, {0.5, 0.5}));
  ExpectBad("Softmax", {x}, {{"axis", int64_t{2}}}, {"axis 2"});
}

TEST(Hardmax, MarksTheFirstOfTheLargest) {
  EXPECT_THAT(RunOp("Hardmax", {Floats({2, 3}, {1, 3, 3, 5, 0, 1})}),
              Is({2, 3}, {0, 1, 0, 1, 0, 0}));
}

TEST(LpNormalization, DividesByTheNorm) {
  const Array x = Floats({2, 2}, {3, 4, 0, 0});
  EXPECT_THAT(RunOp("LpNormalization", {x}), Is({2, 2}, {0.6, 0.8, 0, 0}));
  EXPECT_THAT(RunOp("LpNormalization", {x}, {{"p", int64_t{1}}}),
              Is({2, 2}, {3.0 / 7, 4.0 / 7, 0, 0}));
}

}  // namespace
}  // namespace rebasin::testing
