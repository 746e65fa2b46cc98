#include "report/ticks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/expect_error.h"

namespace rebasin {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Pointwise;
using ::testing::SizeIs;

std::vector<std::string> Labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks) labels.push_back(tick.label);
  return labels;
}

TEST(Ticks, StepsAreOneTwoOrFive) {
  EXPECT_DOUBLE_EQ(NiceStep(10, 10), 1);
  EXPECT_DOUBLE_EQ(NiceStep(11, 10), 2);
  EXPECT_DOUBLE_EQ(NiceStep(0.21, 10), 0.05);
  EXPECT_DOUBLE_EQ(NiceStep(6e5, 10), 1e5);
  EXPECT_DOUBLE_EQ(NiceStep(1, 3), 0.5);
  EXPECT_DOUBLE_EQ(NiceStep(8e-7, 1), 1e-6);
}

TEST(Ticks, EndsOfTheRangeAreTicks) {
  EXPECT_THAT(Labels(LinearTicks({0, 1}, 5)),
              ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(Labels(LinearTicks({0.1, 0.3}, 2)),
              ElementsAre("0.1", "0.2", "0.3"));
}

TEST(Ticks, ZeroHasNoSign) {
  EXPECT_THAT(Labels(LinearTicks({-1, 1}, 4)),
              ElementsAre("−1.0", "−0.5", "0.0", "0.5", "1.0"));
}

TEST(Ticks, LogarithmicOnesAreFewRoundNumbers) {
  EXPECT_THAT(Labels(LogTicks({0.01, 1}, 8)),
              ElementsAre("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"));
  EXPECT_THAT(Labels(LogTicks({0.01, 10}, 8)),
              ElementsAre("0.01", "0.03", "0.1", "0.3", "1", "3", "10"));
  EXPECT_THAT(Labels(LogTicks({0.001, 1000}, 7)),
              ElementsAre("0.001", "0.01", "0.1", "1", "10", "100", "1000"));
  EXPECT_THAT(Labels(LogTicks({1e-8, 1e8}, 6)),
              ElementsAre("10⁻⁶", "10⁻³", "1", "10³", "10⁶"));
}

TEST(Ticks, NarrowLogarithmicRangesHaveLinearOnes) {
  EXPECT_THAT(Labels(LogTicks({6, 9}, 4)), ElementsAre("6", "7", "8", "9"));
}

TEST(Ticks, RangeIsThatOfFiniteValues) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> a = {3, kNan, -1}, b = {7, -kNan};
  const Range range = RangeOf({&a, &b});
  EXPECT_EQ(range.low, -1);
  EXPECT_EQ(range.high, 7);
  EXPECT_EQ(RangeOf({&a, &b}, true).low, 3);
}

TEST(Ticks, PointsAreOpened) {
  const std::vector<double> zero = {0}, five = {5, 5};
  EXPECT_EQ(RangeOf({&zero}).low, -1);
  EXPECT_EQ(RangeOf({&zero}).high, 1);
  EXPECT_EQ(RangeOf({&five}).low, 4.5);
  EXPECT_EQ(RangeOf({&five}, true).low, 2.5);
  EXPECT_EQ(RangeOf({&five}, true).high, 10);
}

TEST(Ticks, RefuseNothing) {
  const std::vector<double> none, negative = {-1};
  ExpectError(ErrorCode::kUsage, {"no finite value"},
              [&] { RangeOf({&none}); });
  ExpectError(ErrorCode::kUsage, {"no finite value"},
              [&] { RangeOf({&negative}, true); });
}

TEST(Ticks, AreNeverManyWhateverTheRange) {
  for (double low : {-1e300, -5.0, 0.0, 1e-300, 12345.678, 1e15}) {
    for (double width : {1e-290, 1e-5, 1.0, 3e7, 1e299}) {
      const std::vector<double> ends = {low, low + width};
      const Range range = RangeOf({&ends});
      EXPECT_LE(LinearTicks(range, 6).size(), 8u) << low << " " << width;
    }
  }
}

}  // namespace
}  // namespace rebasin
