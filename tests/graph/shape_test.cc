#include <gtest/gtest.h>

#include <limits>

#include "graph/run_op.h"

namespace rebasin::testing {
namespace {

TEST(ShapeOp, GivesSizesOrSomeOfThem) {
  const Array x = Iota({2, 3, 4});
  EXPECT_THAT(RunOp("Shape", {x}), Is({3}, {2, 3, 4}));
  EXPECT_THAT(RunOp("Shape", {x}, {{"start", int64_t{1}}}), Is({2}, {3, 4}));
  EXPECT_THAT(
      RunOp("Shape", {x}, {{"start", int64_t{-9}}, {"end", int64_t{-1}}}),
      Is({2}, {2, 3}));
  EXPECT_THAT(RunOp("Shape", {x}, {{"start", int64_t{2}}, {"end", int64_t{1}}}),
              Is({0}, {}));
  EXPECT_THAT(RunOp("Size", {x}), Is({}, {24}));
}

TEST(Reshape, CopiesZerosAndFillsTheRest) {
  EXPECT_EQ(RunOp("Reshape", {Iota({2, 3, 4}), Integers({0, -1})}).shape,
            Shape({2, 12}));
  EXPECT_EQ(RunOp("Reshape", {Iota({0, 3}), Integers({3, 0})},
                  {{"allowzero", int64_t{1}}})
                .shape,
            Shape({3, 0}));
  EXPECT_EQ(RunOp("Reshape", {Iota({1}), Integers({})}).shape, Shape());
}

TEST(Reshape, IsNotKnownWithoutItsTarget) {
  EXPECT_FALSE(InferOp("Reshape", {Iota({2}), Integers({2})}).known);
}

TEST(Reshape, RefusesWhatDoesNotFit) {
  const Array x = Iota({2, 3});
  ExpectBad("Reshape", {x, Integers({4})}, {},
            {"cannot reshape [2, 3] to [4]"});
  ExpectBad("Reshape", {x, Integers({-1, 4})}, {}, {"cannot reshape"});
  ExpectBad("Reshape", {x, Integers({-1, -1})}, {},
            {"more than one size is -1"});
  ExpectBad("Reshape", {x, Integers({-2, 3})}, {}, {"less than -1"});
  ExpectBad("Reshape", {x, Integers({2, 3, 0})}, {},
            {"an axis that its input does not have"});
  ExpectBad("Reshape", {x, Integers({1e18, 1e18})}, {}, {"too large"});
}

TEST(Flatten, MakesMatrices) {
  const Array x = Iota({2, 3, 4});
  EXPECT_EQ(RunOp("Flatten", {x}).shape, Shape({2, 12}));
  EXPECT_EQ(RunOp("Flatten", {x}, {{"axis", int64_t{0}}}).shape,
            Shape({1, 24}));
  EXPECT_EQ(RunOp("Flatten", {x}, {{"axis", int64_t{-1}}}).shape,
            Shape({6, 4}));
  ExpectBad("Flatten", {x}, {{"axis", int64_t{4}}}, {"out of range"});
}

TEST(Squeeze, DropsAxesOfSizeOne) {
  const Array x = Iota({1, 2, 1});
  EXPECT_EQ(RunOp("Squeeze", {x}).shape, Shape({2}));
  EXPECT_EQ(RunOp("Squeeze", {x, Integers({-1})}).shape, Shape({1, 2}));
  ExpectBad("Squeeze", {x, Integers({1})}, {}, {"does not have size 1"});
}

TEST(Unsqueeze, CountsAxesOfTheResult) {
  EXPECT_EQ(RunOp("Unsqueeze", {Iota({2, 3}), Integers({-1, 0})}).shape,
            Shape({1, 2, 3, 1}));
  ExpectBad("Unsqueeze", {Iota({2}), Integers({0, 0})}, {}, {"twice"});
  ExpectBad("Unsqueeze", {Iota({2}), Integers({2})}, {}, {"axis 2"});
}

TEST(Expand, StretchesBothWays) {
  EXPECT_THAT(RunOp("Expand", {Iota({2, 1}), Integers({1, 2})}),
              Is({2, 2}, {0, 0, 1, 1}));
  ExpectBad("Expand", {Iota({2}), Integers({3})}, {}, {"do not fit"});
}

TEST(Transpose, ReversesAxesUnlessTold) {
  EXPECT_THAT(RunOp("Transpose", {Iota({2, 3})}),
              Is({3, 2}, {0, 3, 1, 4, 2, 5}));
  EXPECT_THAT(
      RunOp("Transpose", {Iota({2, 1, 2})}, {{"perm", List({1, 2, 0})}}),
      Is({1, 2, 2}, {0, 2, 1, 3}));
  ExpectBad("Transpose", {Iota({2, 3})}, {{"perm", List({0, 0})}}, {"twice"});
  ExpectBad("Transpose", {Iota({2, 3})}, {{"perm", List({0})}}, {"perm"});
}

TEST(Tile, RepeatsAlongEachAxis) {
  EXPECT_THAT(RunOp("Tile", {Iota({1, 2}), Integers({2, 2})}),
              Is({2, 4}, {0, 1, 0, 1, 0, 1, 0, 1}));
  ExpectBad("Tile", {Iota({2}), Integers({1, 1})}, {}, {"repeats"});
  ExpectBad("Tile", {Iota({2}), Integers({-1})}, {}, {"negative size"});
  ExpectBad("Tile", {Iota({2}), Integers({9e18})}, {}, {"too large"});
}

TEST(DepthToSpace, HasTwoOrders) {
  const Array x = Iota({1, 8, 1, 1});
  const Attributes dcr = {{"blocksize", int64_t{2}}};
  Attributes crd = dcr;
  crd["mode"] = std::string("CRD");
  EXPECT_THAT(RunOp("DepthToSpace", {x}, dcr),
              Is({1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_THAT(RunOp("DepthToSpace", {x}, crd),
              Is({1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_THAT(RunOp("SpaceToDepth", {RunOp("DepthToSpace", {x}, dcr)}, dcr),
              Is({1, 8, 1, 1}, x.values()));
  ExpectBad("DepthToSpace", {Iota({1, 2, 1, 1})}, dcr, {"not a multiple of 4"});
  ExpectBad("DepthToSpace", {x}, {}, {"blocksize 0"});
}

TEST(Create, ConstantsComeFromAttributes) {
  EXPECT_THAT(RunOp("Constant", {}, {{"value", Iota({2})}}), Is({2}, {0, 1}));
  ExpectBad("Constant", {}, {}, {"no attribute \"value\""});
  EXPECT_THAT(RunOp("ConstantOfShape", {Integers({2})}), Is({2}, {0, 0}));
  EXPECT_THAT(
      RunOp("ConstantOfShape", {Integers({2})}, {{"value", Floats({1}, {7})}}),
      Is({2}, {7, 7}));
  ExpectBad("ConstantOfShape", {Integers({-2})}, {}, {"negative size"});
  ExpectBad("ConstantOfShape", {Integers({1e10, 1e10})}, {}, {"too large"});
}

TEST(Create, RangesRunBothWays) {
  EXPECT_THAT(RunOp("Range", {Integer(3), Integer(9), Integer(4)}),
              Is({2}, {3, 7}));
  EXPECT_THAT(RunOp("Range", {Integer(2), Integer(0), Integer(-1)}),
              Is({2}, {2, 1}));
  EXPECT_THAT(RunOp("Range", {Integer(2), Integer(0), Integer(1)}),
              Is({0}, {}));
  ExpectBad("Range", {Integer(0), Integer(1), Integer(0)}, {},
            {"too long or infinite"});
}

TEST(Create, EyeLikeHasADiagonal) {
  EXPECT_THAT(RunOp("EyeLike", {Iota({2, 3})}, {{"k", int64_t{1}}}),
              Is({2, 3}, {0, 1, 0, 0, 0, 1}));
  EXPECT_THAT(RunOp("EyeLike", {Iota({2, 2})},
                    {{"k", std::numeric_limits<int64_t>::min()}}),
              Is({2, 2}, {0, 0, 0, 0}));
}

TEST(Create, OneHotPutsTheNewAxisAnywhere) {
  const std::vector<Arg> inputs = {Integers({1, -1, 9}), Integer(2),
                                   Floats({2}, {0, 5})};
  EXPECT_THAT(RunOp("OneHot", inputs), Is({3, 2}, {0, 5, 0, 5, 0, 0}));
  EXPECT_THAT(RunOp("OneHot", inputs, {{"axis", int64_t{0}}}),
              Is({2, 3}, {0, 0, 0, 5, 5, 0}));
}

TEST(Create, NonZeroDependsOnValues) {
  const Array x = Floats({2, 2}, {0, 1, 2, 3});
  EXPECT_THAT(RunOp("NonZero", {x}), Is({2, 3}, {0, 1, 1, 1, 0, 1}));
  EXPECT_FALSE(InferOp("NonZero", {x}).known);
}

TEST(Apply, NeedsNoTimeForGiantsWithoutElements) {
  const Array empty = MakeArray(Kind::kFloat, {int64_t{1} << 40, 0}, {});
  EXPECT_EQ(RunOp("Transpose", {empty}).shape, Shape({0, int64_t{1} << 40}));
  EXPECT_EQ(RunOp("Tile", {empty, Integers({4, 1})}).shape,
            Shape({int64_t{1} << 42, 0}));
  EXPECT_THAT(RunOp("ReduceSum", {empty}), Is({1, 1}, {0}));
}

TEST(Apply, RefusesRanksThatAreTooHigh) {
  const Array many = Integers(std::vector<double>(65, 1));
  ExpectBad("Reshape", {Iota({1}), many}, {}, {"rank is too high"});
  ExpectBad("Unsqueeze", {Iota({1}), Integers(Iota({65}).values())}, {},
            {"more than 64 axes"});
}

TEST(Apply, RefusesOutputsBeyondMemory) {
  ExpectUnsupported("Expand", {Iota({1}), Integers({1e12})}, {},
                    {"cannot run Expand", "is too large"});
}

}  // namespace
}  // namespace rebasin::testing
