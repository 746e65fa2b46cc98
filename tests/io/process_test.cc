#include "io/process.h"

#include <gtest/gtest.h>

#include <csignal>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

TEST(Process, ReturnsTheExitCode) {
  EXPECT_EQ(RunProgram({"true"}), 0);
  EXPECT_EQ(RunProgram({"false"}), 1);
  EXPECT_EQ(RunProgram({"sh", "-c", "kill -9 $$"}), 128 + SIGKILL);
  EXPECT_EQ(RunProgram({"there-is-no-such-program"}), kNotStarted);
}

TEST(Process, ArgumentsReachTheProgramAsTheyAre) {
  const std::string odd = "a b'c\"d$HOME;`x`\n*";
  EXPECT_EQ(AskProgram({"printf", "%s", odd}).text, odd);
}

TEST(Process, ReadsAFileAndWritesAnyAmount) {
  const TempDir folder;
  const std::string text(1 << 19, 'x');
  folder.Write("in", text);
  EXPECT_EQ(AskProgram({"cat"}, {.input = folder / "in"}).text, text);
  EXPECT_EQ(AskProgram({"cat"}).text, "");
}

TEST(Process, TooLongAnAnswerIsAnError) {
  ExpectError(ErrorCode::kLimit, {"\"yes\""}, [] { AskProgram({"yes"}); });
}

TEST(Process, IsEndedWhereItsOutputIsRefused) {
  EXPECT_THROW(RunProgram({"yes"}, {.output =
                                        [](std::span<const std::byte>) {
                                          throw std::runtime_error("full");
                                        }}),
               std::runtime_error);
}

// This process ignores it; a pipe of theirs must break as they know it.
TEST(Process, GetsSignalsAsProgramsExpectThem) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(AskProgram({"sh", "-c", "kill -PIPE $$; echo ignored"}).exit_code,
            128 + SIGPIPE);
  std::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace rebasin
