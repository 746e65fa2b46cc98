#include <gtest/gtest.h>

#include "graph/run_op.h"

namespace rebasin::testing {
namespace {

Array Ones(Shape shape) {
  int64_t size = 1;
  for (int64_t s : shape) size *= s;
  return Floats(std::move(shape), std::vector<double>(size, 1.0));
}

Attribute Text(std::string text) { return text; }

TEST(Conv, SlidesAlongALine) {
  EXPECT_THAT(RunOp("Conv", {Iota({1, 1, 5}), Floats({1, 1, 2}, {1, 10})}),
              Is({1, 1, 4}, {10, 21, 32, 43}));
}

TEST(Conv, AddsABiasToEachChannel) {
  EXPECT_THAT(RunOp("Conv", {Iota({1, 1, 2}), Floats({2, 1, 1}, {1, 2}),
                             Floats({2}, {10, 20})}),
              Is({1, 2, 2}, {10, 11, 20, 22}));
}

TEST(Conv, PadsStridesAndDilates) {
  // Padded: 0 0 1 2 3 4 0. Elements 0, 2 of each window, at 0, 3.
  EXPECT_THAT(RunOp("Conv", {Iota({1, 1, 5}), Floats({1, 1, 2}, {1, 10})},
                    {{"pads", List({1, 1})},
                     {"strides", List({3})},
                     {"dilations", List({2})}}),
              Is({1, 1, 2}, {10, 42}));
}

TEST(Conv, PadsOneSideMore) {
  const std::vector<Arg> inputs = {Iota({1, 1, 3}), Floats({1, 1, 2}, {1, 10})};
  EXPECT_THAT(RunOp("Conv", inputs, {{"auto_pad", Text("SAME_UPPER")}}),
              Is({1, 1, 3}, {10, 21, 2}));
  EXPECT_THAT(RunOp("Conv", inputs, {{"auto_pad", Text("SAME_LOWER")}}),
              Is({1, 1, 3}, {0, 10, 21}));
  EXPECT_THAT(RunOp("Conv", inputs, {{"auto_pad", Text("VALID")}}),
              Is({1, 1, 2}, {10, 21}));
}

TEST(Conv, WorksInTwoAndThreeDimensions) {
  EXPECT_THAT(RunOp("Conv", {Iota({1, 1, 3, 3}), Ones({1, 1, 2, 2})}),
              Is({1, 1, 2, 2}, {8, 12, 20, 24}));
  EXPECT_THAT(RunOp("Conv", {Iota({1, 1, 2, 2, 2}), Ones({1, 1, 2, 2, 2})}),
              Is({1, 1, 1, 1, 1}, {28}));
}

TEST(Conv, KeepsGroupsApart) {
  EXPECT_THAT(RunOp("Conv", {Iota({2, 2, 2}), Floats({2, 1, 1}, {1, 100})},
                    {{"group", int64_t{2}}}),
              Is({2, 2, 2}, {0, 1, 200, 300, 4, 5, 600, 700}));
}

TEST(Conv, UnfoldsLargeImagesInParts) {
  const Array result =
      RunOp("Conv", {Ones({1, 8, 90, 90}), Ones({4, 8, 7, 7})});
  EXPECT_EQ(result.shape, Shape({1, 4, 84, 84}));
  EXPECT_THAT(result.values(), ::testing::Each(8 * 49));
}

TEST(Conv, RefusesWhatDoesNotFit) {
  const Array x = Iota({1, 2, 3});
  ExpectBad("Conv", {x, Iota({1, 3, 1})}, {}, {"do not fit in 1 groups"});
  ExpectBad("Conv", {x, Iota({2, 1, 1})}, {{"group", int64_t{0}}}, {"group 0"});
  ExpectBad("Conv", {x, Iota({1, 2, 4})}, {}, {"larger than its padded input"});
  ExpectBad("Conv", {x, Iota({1, 2})}, {}, {"has no window"});
  ExpectBad("Conv", {x, Iota({1, 2, 1, 1})}, {}, {"does not fit its window"});
  ExpectBad("Conv", {x, Iota({1, 2, 1}), Iota({2})}, {}, {"bias [2]"});
  ExpectBad("Conv", {x, Iota({1, 2, 1})}, {{"strides", List({0})}},
            {"its strides do not fit"});
  ExpectBad("Conv", {x, Iota({1, 2, 1})}, {{"pads", List({0})}}, {"pads"});
  ExpectBad("Conv", {x, Iota({1, 2, 1})}, {{"dilations", List({1ll << 40})}},
            {"dilations"});
}

TEST(ConvTranspose, AddsScaledWindows) {
  EXPECT_THAT(
      RunOp("ConvTranspose", {Iota({1, 1, 3}), Floats({1, 1, 2}, {1, 10})}),
      Is({1, 1, 4}, {0, 1, 12, 20}));
}

TEST(ConvTranspose, StridesPadsAndGrows) {
  const std::vector<Arg> inputs = {Floats({1, 1, 2}, {1, 2}),
                                   Floats({1, 1, 3}, {1, 10, 100})};
  EXPECT_THAT(RunOp("ConvTranspose", inputs, {{"strides", List({2})}}),
              Is({1, 1, 5}, {1, 10, 102, 20, 200}));
  EXPECT_THAT(RunOp("ConvTranspose", inputs,
                    {{"strides", List({2})}, {"pads", List({1, 1})}}),
              Is({1, 1, 3}, {10, 102, 20}));
  EXPECT_THAT(RunOp("ConvTranspose", inputs,
                    {{"strides", List({2})}, {"output_padding", List({1})}}),
              Is({1, 1, 6}, {1, 10, 102, 20, 200, 0}));
}

TEST(ConvTranspose, CutsToTheShapeAskedFor) {
  const std::vector<Arg> inputs = {Floats({1, 1, 2}, {1, 2}),
                                   Floats({1, 1, 3}, {1, 10, 100})};
  EXPECT_THAT(RunOp("ConvTranspose", inputs,
                    {{"strides", List({2})}, {"output_shape", List({4})}}),
              Is({1, 1, 4}, {10, 102, 20, 200}));
  EXPECT_THAT(RunOp("ConvTranspose", inputs,
                    {{"strides", List({2})}, {"auto_pad", Text("SAME_UPPER")}}),
              Is({1, 1, 4}, {1, 10, 102, 20}));
}

TEST(ConvTranspose, KeepsGroupsApart) {
  EXPECT_THAT(RunOp("ConvTranspose",
                    {Floats({1, 2, 1}, {1, 2}), Floats({2, 1, 1}, {3, 4}),
                     Floats({2}, {10, 20})},
                    {{"group", int64_t{2}}}),
              Is({1, 2, 1}, {13, 28}));
}

TEST(ConvTranspose, RefusesWhatDoesNotFit) {
  const Array x = Iota({1, 2, 3});
  ExpectBad("ConvTranspose", {x, Iota({1, 2, 1})}, {}, {"do not fit"});
  ExpectBad("ConvTranspose", {x, Iota({2, 2, 1})}, {{"pads", List({9, 9})}},
            {"leave no output"});
  ExpectBad("ConvTranspose", {x, Iota({2, 2, 1})},
            {{"output_shape", List({1, 2})}}, {"output_shape"});
}

TEST(MaxPool, FindsTheLargestAndItsPlace) {
  const auto results = RunAll("MaxPool", {Iota({1, 2, 3, 3})},
                              {{"kernel_shape", List({2, 2})}}, 2);
  EXPECT_THAT(results[0], Is({1, 2, 2, 2}, {4, 5, 7, 8, 13, 14, 16, 17}));
  EXPECT_THAT(results[1], Is({1, 2, 2, 2}, {4, 5, 7, 8, 13, 14, 16, 17}));
}

TEST(MaxPool, NeverSeesThePadding) {
  EXPECT_THAT(RunOp("MaxPool", {Floats({1, 1, 3}, {-5, -6, -7})},
                    {{"kernel_shape", List({3})},
                     {"pads", List({1, 1})},
                     {"strides", List({2})}}),
              Is({1, 1, 2}, {-5, -6}));
}

TEST(MaxPool, RoundsUpAndDilates) {
  const Array x = Iota({1, 1, 6});
  EXPECT_THAT(RunOp("MaxPool", {x},
                    {{"kernel_shape", List({3})},
                     {"strides", List({2})},
                     {"ceil_mode", int64_t{1}}}),
              Is({1, 1, 3}, {2, 4, 5}));
  EXPECT_THAT(RunOp("MaxPool", {x},
                    {{"kernel_shape", List({2})}, {"dilations", List({3})}}),
              Is({1, 1, 3}, {3, 4, 5}));
}

TEST(AveragePool, CountsThePaddingOrNot) {
  const Array x = Floats({1, 1, 3}, {3, 6, 9});
  Attributes attributes = {{"kernel_shape", List({3})}, {"pads", List({1, 1})}};
  EXPECT_THAT(RunOp("AveragePool", {x}, attributes),
              Is({1, 1, 3}, {4.5, 6, 7.5}));
  attributes["count_include_pad"] = int64_t{1};
  EXPECT_THAT(RunOp("AveragePool", {x}, attributes), Is({1, 1, 3}, {3, 6, 5}));
}

TEST(AveragePool, CountsNothingBeyondThePadding) {
  EXPECT_THAT(RunOp("AveragePool", {Floats({1, 1, 4}, {2, 4, 6, 8})},
                    {{"kernel_shape", List({3})},
                     {"strides", List({2})},
                     {"ceil_mode", int64_t{1}},
                     {"count_include_pad", int64_t{1}}}),
              Is({1, 1, 2}, {4, 7}));
}

TEST(LpPool, TakesNorms) {
  const Array x = Floats({1, 1, 3}, {3, -4, 0});
  EXPECT_THAT(RunOp("LpPool", {x}, {{"kernel_shape", List({2})}}),
              Is({1, 1, 2}, {5, 4}));
  EXPECT_THAT(
      RunOp("LpPool", {x}, {{"kernel_shape", List({2})}, {"p", int64_t{1}}}),
      Is({1, 1, 2}, {7, 4}));
}

TEST(GlobalPool, CoversTheWholeImage) {
  const Array x = Floats({1, 2, 2}, {3, -4, 6, 8});
  EXPECT_THAT(RunOp("GlobalAveragePool", {x}), Is({1, 2, 1}, {-0.5, 7}));
  EXPECT_THAT(RunOp("GlobalMaxPool", {x}), Is({1, 2, 1}, {3, 8}));
  EXPECT_THAT(RunOp("GlobalLpPool", {x}), Is({1, 2, 1}, {5, 10}));
  ExpectBad("GlobalMaxPool", {Iota({2, 2})}, {}, {"not an image"});
}

TEST(Windows, RefuseEmptyImagesAndChannels) {
  const Attributes padded = {{"kernel_shape", List({1})},
                             {"pads", List({1, 1})}};
  ExpectBad("MaxPool", {Iota({1, 1, 0})}, padded, {"its input is empty"});
  ExpectBad("ConvTranspose", {Iota({1, 0, 3}), Iota({0, 1, 1})}, {},
            {"do not fit"});
  EXPECT_THAT(RunOp("Conv", {Iota({1, 0, 2}), Iota({1, 0, 1})}),
              Is({1, 1, 2}, {0, 0}));
  EXPECT_THAT(RunOp("Conv", {Iota({0, 1, 2}), Iota({1, 1, 1})}),
              Is({0, 1, 2}, {}));
}

TEST(Pooling, RefusesWindowsThatDoNotFit) {
  ExpectBad("MaxPool", {Iota({1, 1, 3})}, {}, {"does not fit its window"});
  ExpectBad("MaxPool", {Iota({1, 1, 3})}, {{"kernel_shape", List({4})}},
            {"larger than its padded input of 3"});
  ExpectUnsupported("MaxPool", {Iota({1, 1, 1, 1, 1, 1})},
                    {{"kernel_shape", List({1, 1, 1, 1})}},
                    {"more than three dimensions"});
}

}  // namespace
}  // namespace rebasin::testing
