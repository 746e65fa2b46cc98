// Trainings that are stopped, and go on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cli/trained.h"
#include "support/signals.h"

namespace rebasin {
namespace {

using testing::Arguments;
using ::testing::ElementsAre;
using testing::Outcome;
using testing::Program;
using testing::RunIn;
using testing::TrainDigits;
using testing::operator+;

constexpr const char* kState = "a.state.safetensors";

// Long enough to be interrupted.
constexpr int kEpochs = 60;

void Interrupt(const TempDir& folder, int signal) {
  const SignalDoes usual(signal, SIG_DFL);
  Program program(folder, TrainDigits("a.safetensors", kEpochs));
  ASSERT_TRUE(program.WaitUntilItSays("epoch 2 "));
  program.Signal(signal);
  const Outcome stopped = program.Wait();
  EXPECT_EQ(stopped.exit_code, 128 + signal) << stopped.err;
  EXPECT_TRUE(stopped.says("--resume")) << stopped.err;
  EXPECT_THAT(folder.Files(), ElementsAre(kState));
}

void ExpectResumed(const TempDir& folder) {
  const Outcome rest = RunIn(
      folder, TrainDigits("a.safetensors", kEpochs) + Arguments{"--resume"});
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_THAT(folder.Files(), ElementsAre("a.safetensors"));
  const TempDir other;
  RunIn(other, TrainDigits("a.safetensors", kEpochs));
  EXPECT_EQ(ReadAll(folder / "a.safetensors"),
            ReadAll(other / "a.safetensors"));
}

class InterruptedBy : public ::testing::TestWithParam<int> {};

TEST_P(InterruptedBy, GoesOnAsIfNothingHadBeen) {
  const TempDir folder;
  Interrupt(folder, GetParam());
  ExpectResumed(folder);
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptedBy,
                         ::testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& test) {
                           return std::string("SIG") + sigabbrev_np(test.param);
                         });

TEST(Resume, IsNotNeededWhereSignalsAreIgnored) {
  const TempDir folder;
  const SignalDoes nothing(SIGHUP, SIG_IGN);
  Program program(folder, TrainDigits("a.safetensors", 5));
  ASSERT_TRUE(program.WaitUntilItSays("epoch 2 "));
  program.Signal(SIGHUP);
  const Outcome outcome = program.Wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(folder.Files(), ElementsAre("a.safetensors"));
}

TEST(Resume, RefusesToForgetATrainingThatWasInterrupted) {
  const TempDir folder;
  Interrupt(folder, SIGINT);
  const std::string state = ReadAll(folder / kState);
  const Outcome anew = RunIn(folder, TrainDigits("a.safetensors", 1));
  EXPECT_EQ(anew.exit_code, 2);
  EXPECT_TRUE(anew.says("--resume")) << anew.err;
  EXPECT_TRUE(anew.says("--force")) << anew.err;
  const Outcome other =
      RunIn(folder, TrainDigits("a.safetensors", 1) + Arguments{"--resume"});
  EXPECT_EQ(other.exit_code, 4) << other.err;
  EXPECT_TRUE(other.says("another run")) << other.err;
  EXPECT_EQ(ReadAll(folder / kState), state);
  const Outcome forced =
      RunIn(folder, TrainDigits("a.safetensors", 1) + Arguments{"--force"});
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_THAT(folder.Files(), ElementsAre("a.safetensors"));
}

TEST(Resume, StartsAnewWhereThereIsNothingToResume) {
  const TempDir folder;
  const Outcome run =
      RunIn(folder, TrainDigits("a.safetensors", 1) + Arguments{"--resume"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.says("no state to resume")) << run.err;
}

TEST(Resume, SaysThatAStateIsDamaged) {
  const TempDir folder;
  folder.Write(kState, "broken");
  const Outcome run =
      RunIn(folder, TrainDigits("a.safetensors", 1) + Arguments{"--resume"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_TRUE(run.says(kState)) << run.err;
}

}  // namespace
}  // namespace rebasin
