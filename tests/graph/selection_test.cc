#include <gtest/gtest.h>

#include <limits>

#include "graph/run_op.h"

namespace rebasin::testing {
namespace {

constexpr double kMost = 9223372036854775807.0;
constexpr double kLeast = -9223372036854775808.0;

Attribute Text(std::string text) { return text; }

TEST(Concat, JoinsAlongAnAxis) {
  EXPECT_THAT(
      RunOp("Concat", {Iota({2, 1}), Iota({2, 2})}, {{"axis", int64_t{-1}}}),
      Is({2, 3}, {0, 0, 1, 1, 2, 3}));
  EXPECT_THAT(RunOp("Concat", {Iota({1}), Iota({0}), Iota({2})}),
              Is({3}, {0, 0, 1}));
  ExpectBad("Concat", {Iota({2, 1}), Iota({3, 1})}, {{"axis", int64_t{1}}},
            {"[2, 1] and [3, 1] cannot be joined"});
  ExpectBad("Concat", {Iota({2}), Iota({2, 1})}, {}, {"cannot be joined"});
}

TEST(Split, TakesPartsAsGiven) {
  const auto results = RunAll("Split", {Iota({2, 3}), Integers({1, 0, 2})},
                              {{"axis", int64_t{1}}}, 3);
  EXPECT_THAT(results[0], Is({2, 1}, {0, 3}));
  EXPECT_THAT(results[1], Is({2, 0}, {}));
  EXPECT_THAT(results[2], Is({2, 2}, {1, 2, 4, 5}));
}

TEST(Split, MakesEqualPartsOfWhichTheLastMayBeSmaller) {
  const auto results =
      RunAll("Split", {Iota({5})}, {{"num_outputs", int64_t{2}}}, 2);
  EXPECT_THAT(results[0], Is({3}, {0, 1, 2}));
  EXPECT_THAT(results[1], Is({2}, {3, 4}));
}

TEST(Split, RefusesPartsThatAreNotTheWhole) {
  ExpectBad("Split", {Iota({3}), Integers({2})}, {},
            {"do not add up to axis 0"});
  ExpectBad("Split", {Iota({3}), Integers({4, -1})}, {}, {"negative"});
}

TEST(Slice, CutsClampsAndStrides) {
  const Array x = Iota({6});
  EXPECT_THAT(RunOp("Slice", {x, Integers({1}), Integers({kMost})}),
              Is({5}, {1, 2, 3, 4, 5}));
  EXPECT_THAT(RunOp("Slice", {x, Integers({-2}), Integers({100})}),
              Is({2}, {4, 5}));
  EXPECT_THAT(RunOp("Slice", {x, Integers({0}), Integers({6}), Integers({0}),
                              Integers({4})}),
              Is({2}, {0, 4}));
  EXPECT_THAT(RunOp("Slice", {x, Integers({4}), Integers({2})}), Is({0}, {}));
}

TEST(Slice, RunsBackwards) {
  const Array x = Iota({4});
  const auto back = [&](double start, double end, double step) {
    return RunOp("Slice", {x, Integers({start}), Integers({end}), Integers({0}),
                           Integers({step})});
  };
  EXPECT_THAT(back(-1, kLeast, -1), Is({4}, {3, 2, 1, 0}));
  EXPECT_THAT(back(kMost, 0, -2), Is({2}, {3, 1}));
  EXPECT_THAT(back(kMost, kLeast, kLeast), Is({1}, {3}));
}

TEST(Slice, CutsSeveralAxes) {
  EXPECT_THAT(RunOp("Slice", {Iota({3, 3}), Integers({1, 0}), Integers({3, 2}),
                              Integers({-1, 0})}),
              Is({2, 2}, {1, 2, 4, 5}));
}

TEST(Slice, RefusesWhatMakesNoSense) {
  const Array x = Iota({4});
  ExpectBad("Slice",
            {x, Integers({0}), Integers({1}), Integers({0}), Integers({0})}, {},
            {"a step is 0"});
  ExpectBad("Slice", {x, Integers({0}), Integers({1, 2})}, {},
            {"differ in number"});
  ExpectBad("Slice", {x, Integers({0}), Integers({1}), Integers({1})}, {},
            {"axis 1"});
  EXPECT_FALSE(InferOp("Slice", {x, Integers({0}), Integers({1})}).known);
}

TEST(Gather, ReplacesAnAxisByIndices) {
  EXPECT_THAT(RunOp("Gather", {Iota({3, 2}), Integers({2, -3})}),
              Is({2, 2}, {4, 5, 0, 1}));
  EXPECT_THAT(
      RunOp("Gather", {Iota({2, 3}), Integer(1)}, {{"axis", int64_t{1}}}),
      Is({2}, {1, 4}));
  ExpectBad("Gather", {Iota({3}), Integers({3})}, {},
            {"index 3 is out of range for an axis of size 3"});
}

TEST(Gather, TakesElementsOneByOne) {
  EXPECT_THAT(
      RunOp("GatherElements", {Iota({2, 2}), Integers({2, 2}, {0, 0, -1, 0})},
            {{"axis", int64_t{1}}}),
      Is({2, 2}, {0, 0, 3, 2}));
  ExpectBad("GatherElements", {Iota({2, 2}), Integers({1, 1, 1}, {0})}, {},
            {"do not fit [2, 2]"});
}

TEST(Gather, TakesRowsByWholeIndices) {
  const Array x = Iota({2, 2, 2});
  EXPECT_THAT(RunOp("GatherND", {x, Integers({2, 2}, {0, 1, 1, -2})}),
              Is({2, 2}, {2, 3, 4, 5}));
  EXPECT_THAT(RunOp("GatherND", {x, Integers({2, 1}, {1, 0})},
                    {{"batch_dims", int64_t{1}}}),
              Is({2, 2}, {2, 3, 4, 5}));
  ExpectBad("GatherND", {x, Integers({1, 4}, {0, 0, 0, 0})}, {},
            {"do not fit"});
  ExpectBad("GatherND", {Iota({3, 2}), Integers({2, 1}, {0, 0})},
            {{"batch_dims", int64_t{1}}}, {"batch axes differ"});
}

TEST(Scatter, WritesElementsOneByOne) {
  const std::vector<Arg> inputs = {Iota({2, 2}), Integers({1, 2}, {1, -2}),
                                   Floats({1, 2}, {10, 20})};
  EXPECT_THAT(RunOp("ScatterElements", inputs), Is({2, 2}, {0, 20, 10, 3}));
  EXPECT_THAT(RunOp("ScatterElements", inputs, {{"reduction", Text("add")}}),
              Is({2, 2}, {0, 21, 12, 3}));
  EXPECT_THAT(RunOp("ScatterElements", inputs, {{"reduction", Text("min")}}),
              Is({2, 2}, {0, 1, 2, 3}));
  ExpectBad("ScatterElements", inputs, {{"reduction", Text("xor")}}, {"xor"});
  ExpectBad("ScatterElements", {Iota({2}), Integers({2}), Floats({1}, {0})}, {},
            {"out of range"});
}

TEST(Scatter, WritesRowsByWholeIndices) {
  const std::vector<Arg> inputs = {Iota({3, 2}), Integers({2, 1}, {2, 2}),
                                   Floats({2, 2}, {5, 6, 7, 8})};
  EXPECT_THAT(RunOp("ScatterND", inputs), Is({3, 2}, {0, 1, 2, 3, 7, 8}));
  EXPECT_THAT(RunOp("ScatterND", inputs, {{"reduction", Text("mul")}}),
              Is({3, 2}, {0, 1, 2, 3, 140, 240}));
  EXPECT_THAT(RunOp("ScatterND", inputs, {{"reduction", Text("max")}}),
              Is({3, 2}, {0, 1, 2, 3, 7, 8}));
  ExpectBad("ScatterND",
            {Iota({3, 2}), Integers({2, 1}, {2, 2}), Floats({2}, {5, 6})}, {},
            {"updates [2] should be [2, 2]"});
}

TEST(Pad, FillsOrRepeats) {
  const Array x = Iota({3});
  const Array pads = Integers({2, 1});
  const auto padded = [&](const char* mode) {
    return RunOp("Pad", {x, pads}, {{"mode", Text(mode)}});
  };
  EXPECT_THAT(RunOp("Pad", {x, pads, Floats({}, {9})}),
              Is({6}, {9, 9, 0, 1, 2, 9}));
  EXPECT_THAT(padded("reflect"), Is({6}, {2, 1, 0, 1, 2, 1}));
  EXPECT_THAT(padded("edge"), Is({6}, {0, 0, 0, 1, 2, 2}));
  EXPECT_THAT(padded("wrap"), Is({6}, {1, 2, 0, 1, 2, 0}));
}

TEST(Pad, TakesAxesAndCuts) {
  EXPECT_THAT(
      RunOp("Pad", {Iota({2, 2}), Integers({-1, 1}), kNone, Integers({-1})}),
      Is({2, 2}, {1, 0, 3, 0}));
}

TEST(Pad, RefusesWhatDoesNotFit) {
  const Array x = Iota({3});
  ExpectBad("Pad", {x, Integers({1})}, {}, {"pads do not fit"});
  ExpectBad("Pad", {x, Integers({-2, -2})}, {}, {"larger than an axis"});
  ExpectBad("Pad", {x, Integers({kMost, 0})}, {}, {"too large"});
  ExpectBad("Pad", {Iota({0}), Integers({1, 0})}, {{"mode", Text("edge")}},
            {"cannot be padded by repeating"});
  ExpectBad("Pad", {x, Integers({0, 0})}, {{"mode", Text("odd")}}, {"odd"});
}

}  // namespace
}  // namespace rebasin::testing
