#include "cli/progress.h"

#include <gtest/gtest.h>

namespace rebasin::cli {
namespace {

// What is printed for three steps.
std::string Printed(ProgressStyle style,
                    ProgressBar::Clock::duration interval) {
  ::testing::internal::CaptureStderr();
  {
    ProgressBar progress(style, interval);
    for (int done = 1; done <= 3; ++done) {
      progress.Update("matching", done, 4);
    }
  }
  return ::testing::internal::GetCapturedStderr();
}

constexpr std::chrono::seconds kNoWait(0);
constexpr std::chrono::hours kLongWait(1);

TEST(Progress, IsAPlainLineInALog) {
  EXPECT_EQ(Printed(ProgressStyle::kLines, kNoWait),
            "rebasin: matching: 1 of 4, 25 %\n"
            "rebasin: matching: 2 of 4, 50 %\n"
            "rebasin: matching: 3 of 4, 75 %\n");
}

TEST(Progress, LeavesNoLineInTheLogOfAShortCommand) {
  EXPECT_EQ(Printed(ProgressStyle::kLines, kLongWait), "");
}

TEST(Progress, IsABarAtOnceOnATerminalAndIsClearedAtTheEnd) {
  EXPECT_EQ(Printed(ProgressStyle::kBar, kLongWait),
            "\r\033[K[#######.......................] matching\r\033[K");
}

TEST(Progress, IsNotShownWhereNobodyWantsIt) {
  EXPECT_EQ(Printed(ProgressStyle::kNone, kNoWait), "");
}

}  // namespace
}  // namespace rebasin::cli
