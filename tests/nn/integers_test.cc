// Integers that are computed: in the other cases they are constants, and what
// is made of constants is known before a network runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/one_node.h"
#include "support/expect_error.h"

namespace rebasin::testing {
namespace {

Array RunComputed(const std::string& op, const std::vector<Arg>& inputs,
                  const Attributes& attributes = {}) {
  return RunOneNode(MakeGraph(op, inputs, attributes, 1, false))[0];
}

TEST(Integers, DivideTowardsZero) {
  EXPECT_THAT(RunComputed("Div", {Integers({-7, 7, -6}), Integers({2, -2, 3})}),
              Is({3}, {-3, -3, -2}));
}

TEST(Integers, LeaveRestsWithTheDivisorsSign) {
  const std::vector<Arg> inputs = {Integers({-7, 7}), Integers({3, -3})};
  EXPECT_THAT(RunComputed("Mod", inputs), Is({2}, {2, -2}));
  EXPECT_THAT(RunComputed("Mod", inputs, {{"fmod", int64_t{1}}}),
              Is({2}, {-1, 1}));
}

TEST(Integers, AreShifted) {
  const std::vector<Arg> inputs = {Integers({5, -5}), Integers({1, 1})};
  EXPECT_THAT(RunComputed("BitShift", inputs, {{"direction", "LEFT"}}),
              Is({2}, {10, -10}));
  EXPECT_THAT(RunComputed("BitShift", inputs, {{"direction", "RIGHT"}}),
              Is({2}, {2, -3}));
}

TEST(Integers, MeetBitByBit) {
  const std::vector<Arg> inputs = {Integers({12, -1}), Integers({10, 6})};
  EXPECT_THAT(RunComputed("BitwiseAnd", inputs), Is({2}, {8, 6}));
  EXPECT_THAT(RunComputed("BitwiseOr", inputs), Is({2}, {14, -1}));
  EXPECT_THAT(RunComputed("BitwiseXor", inputs), Is({2}, {6, -7}));
}

TEST(Integers, AreReduced) {
  EXPECT_THAT(RunComputed("ReduceSum", {Integers({1, 2, 3})}), Is({1}, {6}));
  EXPECT_THAT(RunComputed("ReduceMax", {Integers({1, 3, 2})}), Is({1}, {3}));
  EXPECT_THAT(RunComputed("ArgMax", {Integers({1, 3, 2})}), Is({1}, {1}));
}

TEST(Integers, MayHaveMeansThatOnlyTheReferenceKnows) {
  EXPECT_THAT(RunComputed("ReduceMean", {Integers({1, 2, 6})}), Is({1}, {3}));
  EXPECT_THAT(RunComputed("Sqrt", {Integers({4, 9})}), Is({2}, {2, 3}));
}

TEST(Integers, AreIndicesFromBothEnds) {
  EXPECT_THAT(RunComputed("Gather", {Iota({3, 2}), Integers({-1, 0})}),
              Is({2, 2}, {4, 5, 0, 1}));
  EXPECT_THAT(RunComputed("Gather", {Iota({3, 2}), Integer(-1)}),
              Is({2}, {4, 5}));
  EXPECT_THAT(
      RunComputed("GatherND", {Iota({3, 2}), Integers({1, 2}, {-1, 1})}),
      Is({1}, {5}));
}

TEST(Integers, BeyondTheAxisAreNoIndices) {
  const auto expect = [](ErrorCode code, const std::string& op, Array indices) {
    ExpectError(code, {op}, [&] { RunComputed(op, {Iota({3, 2}), indices}); });
  };
  expect(ErrorCode::kUnsupported, "Gather", Integers({3}));
  expect(ErrorCode::kUnsupported, "Gather", Integers({-4}));
  expect(ErrorCode::kUnsupported, "GatherElements", Integers({1, 1}, {7}));
  expect(ErrorCode::kBadInput, "GatherND", Integers({1, 2}, {0, 2}));
}

TEST(Integers, BecomeFloats) {
  const Array floats =
      RunComputed("Cast", {Integers({3})}, {{"to", int64_t{1}}});
  EXPECT_EQ(floats.kind, Kind::kFloat);
  EXPECT_THAT(floats, Is({1}, {3}));
}

}  // namespace
}  // namespace rebasin::testing
