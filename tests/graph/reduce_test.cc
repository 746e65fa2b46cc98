#include <gtest/gtest.h>

#include <cmath>

#include "graph/run_op.h"

namespace rebasin::testing {
namespace {

struct Row {
  std::string op;
  std::vector<double> out;  // of {{1, -2}, {3, 4}} along axis 1
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.op; }

class Reductions : public ::testing::TestWithParam<Row> {};

TEST_P(Reductions, AreWhatTheStandardSays) {
  const Array x = Floats({2, 2}, {1, -2, 3, 4});
  EXPECT_THAT(RunOp(GetParam().op, {x, Integers({1})}),
              Is({2, 1}, GetParam().out));
}

INSTANTIATE_TEST_SUITE_P(
    Reduce, Reductions,
    ::testing::Values(Row{"ReduceSum", {-1, 7}}, Row{"ReduceMean", {-0.5, 3.5}},
                      Row{"ReduceMax", {1, 4}}, Row{"ReduceMin", {-2, 3}},
                      Row{"ReduceProd", {-2, 12}}, Row{"ReduceL1", {3, 7}},
                      Row{"ReduceL2", {std::sqrt(5.0), 5}},
                      Row{"ReduceSumSquare", {5, 25}},
                      Row{"ReduceLogSum", {std::nan(""), std::log(7.0)}},
                      Row{"ReduceLogSumExp", {1.0485874, 4.3132617}}));

TEST(Reduce, DropsAxesOnDemand) {
  EXPECT_THAT(RunOp("ReduceSum", {Iota({2, 3}), Integers({-2})},
                    {{"keepdims", int64_t{0}}}),
              Is({3}, {3, 5, 7}));
}

TEST(Reduce, WithoutAxesTakesAllOrNone) {
  EXPECT_THAT(RunOp("ReduceSum", {Iota({2, 2})}), Is({1, 1}, {6}));
  EXPECT_THAT(RunOp("ReduceSum", {Iota({2, 2}), Integers({})}),
              Is({1, 1}, {6}));
  EXPECT_THAT(RunOp("ReduceSum", {Iota({2, 2}), Integers({})},
                    {{"noop_with_empty_axes", int64_t{1}}}),
              Is({2, 2}, {0, 1, 2, 3}));
}

TEST(Reduce, OfNothingIsWhereItStarts) {
  EXPECT_THAT(RunOp("ReduceSum", {Iota({2, 0}), Integers({1})}),
              Is({2, 1}, {0, 0}));
  EXPECT_THAT(RunOp("ReduceProd", {Iota({2, 0}), Integers({1})}),
              Is({2, 1}, {1, 1}));
}

TEST(Reduce, LogSumExpDoesNotOverflow) {
  EXPECT_THAT(RunOp("ReduceLogSumExp", {Floats({2}, {1000, 1000})}),
              Is({1}, {1000 + std::log(2.0)}));
}

TEST(Reduce, DependsOnItsAxes) {
  EXPECT_FALSE(InferOp("ReduceSum", {Iota({2}), Integers({0})}).known);
  ExpectBad("ReduceSum", {Iota({2}), Integers({1})}, {}, {"axis 1"});
  ExpectBad("ReduceSum", {Iota({2}), Integers({0, -1})}, {}, {"twice"});
}

TEST(Order, ArgMaxTakesTheFirstOrTheLast) {
  const Array x = Floats({2, 3}, {1, 5, 5, 7, 2, 2});
  const Attributes along = {{"axis", int64_t{1}}};
  Attributes last = {{"axis", int64_t{1}},
                     {"select_last_index", int64_t{1}},
                     {"keepdims", int64_t{0}}};
  EXPECT_THAT(RunOp("ArgMax", {x}, along), Is({2, 1}, {1, 0}));
  EXPECT_THAT(RunOp("ArgMax", {x}, last), Is({2}, {2, 0}));
  EXPECT_THAT(RunOp("ArgMin", {x}, along), Is({2, 1}, {0, 1}));
  EXPECT_THAT(RunOp("ArgMin", {x}, last), Is({2}, {0, 2}));
  ExpectBad("ArgMax", {Iota({0})}, {}, {"no elements"});
}

TEST(Order, CumSumRunsBothWays) {
  const Array x = Floats({3}, {1, 2, 4});
  EXPECT_THAT(RunOp("CumSum", {x, Integer(0)}), Is({3}, {1, 3, 7}));
  EXPECT_THAT(RunOp("CumSum", {x, Integer(0)}, {{"reverse", int64_t{1}}}),
              Is({3}, {7, 6, 4}));
  EXPECT_THAT(RunOp("CumSum", {x, Integer(0)}, {{"exclusive", int64_t{1}}}),
              Is({3}, {0, 1, 3}));
  ExpectBad("CumSum", {x, Integer(1)}, {}, {"axis 1"});
}

TEST(Order, TopKKeepsEqualElementsInOrder) {
  const auto results =
      RunAll("TopK", {Floats({1, 4}, {3, 9, 9, 1}), Integers({3})}, {}, 2);
  EXPECT_THAT(results[0], Is({1, 3}, {9, 9, 3}));
  EXPECT_THAT(results[1], Is({1, 3}, {1, 2, 0}));
}

TEST(Order, TopKTakesTheSmallestAlongAnyAxis) {
  EXPECT_THAT(RunOp("TopK", {Floats({3, 2}, {3, 1, 2, 5, 1, 6}), Integers({2})},
                    {{"axis", int64_t{0}}, {"largest", int64_t{0}}}),
              Is({2, 2}, {1, 1, 2, 5}));
  ExpectBad("TopK", {Iota({2}), Integers({3})}, {},
            {"k is out of range for [2]"});
  EXPECT_FALSE(InferOp("TopK", {Iota({2}), Integers({1})}).known);
}

}  // namespace
}  // namespace rebasin::testing
