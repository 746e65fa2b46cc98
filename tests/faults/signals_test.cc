// The program is ended from outside, at every moment.

#include "support/signals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "faults/long_run.h"
#include "faults/scene.h"

namespace rebasin::testing {
namespace {

using Clock = std::chrono::steady_clock;

class Signals : public ::testing::TestWithParam<Task> {};

// One for an output; of several outputs, the one that leads to the others has
// its old content in a second.
int TemporariesOf(const Task& task) { return task.outputs.size() > 1 ? 2 : 1; }

// Another run must not mind what the last one left behind.
void ExpectNextRunSucceeds(const Scene& scene) {
  const Outcome next = scene.RunOnTop();
  EXPECT_EQ(next.exit_code, 0) << next.err;
  if (scene.task().in_place) return;
  scene.ExpectOldOrNew(next, TemporariesOf(scene.task()));
}

void ExpectEnded(const Scene& scene, int signal, const Outcome& outcome) {
  const bool killed = signal == SIGKILL;
  if (outcome.exit_code != 0) {
    EXPECT_EQ(outcome.exit_code, 128 + signal) << outcome.err;
  }
  EXPECT_EQ(outcome.err.find("error"), std::string::npos) << outcome.err;
  scene.ExpectOldOrNew(outcome, killed ? TemporariesOf(scene.task()) : 0);
  if (killed) ExpectNextRunSucceeds(scene);
}

// Moments within the time that the command takes.
class Moments {
 public:
  explicit Moments(const Scene& scene) : random_(0) {
    const auto start = Clock::now();
    EXPECT_EQ(scene.Run().exit_code, 0);
    duration_ = Clock::now() - start;
  }
  Clock::duration Next() {
    return std::chrono::duration_cast<Clock::duration>(
        duration_ * std::uniform_real_distribution()(random_));
  }
  // The command had ended before: it takes less time than it seemed to.
  void WasTooLate() {
    duration_ = duration_ * 9 / 10;
    EXPECT_GT(duration_.count(), 0) << "the signal is ignored";
  }

 private:
  std::mt19937 random_;
  Clock::duration duration_;
};

// Goes on until the signal came in time `count` times, however fast or slow
// the machine is meanwhile.
void EndAtRandom(const Scene& scene, int signal, int count) {
  const SignalDoes usual(signal, SIG_DFL);
  Moments moments(scene);
  for (int ended = 0; ended < count && !::testing::Test::HasFailure();) {
    Program program = scene.Start();
    std::this_thread::sleep_for(moments.Next());
    program.Signal(signal);
    const Outcome outcome = program.Wait();
    SCOPED_TRACE(ended);
    ExpectEnded(scene, signal, outcome);
    if (outcome.exit_code != 0) {
      ++ended;
    } else {
      moments.WasTooLate();
    }
  }
}

TEST_P(Signals, F08_KilledAtRandomLeavesOldFilesOrNewOnes) {
  const Scene scene(GetParam());
  EndAtRandom(scene, SIGKILL, KillsOfEach());
  Report("kills at random", KillsOfEach());
}

TEST_P(Signals, F09_EndedAtRandomLeavesNoTemporaryFile) {
  const Scene scene(GetParam());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EndAtRandom(scene, signal, KillsOfEach() / 3);
    Report("ended at random", KillsOfEach() / 3);
  }
}

// Just before each call that concerns a file. The mark shows whether there was
// one.
long EndBeforeEveryCall(const Scene& scene, int signal, int stride) {
  const SignalDoes usual(signal, SIG_DFL);
  long ended = 0;
  Outcome outcome;
  for (Fault fault{"any", "signal", signal}; scene.RunWith(fault, &outcome);
       fault.call += stride, ++ended) {
    SCOPED_TRACE(TextOf(fault));
    ExpectEnded(scene, signal, outcome);
    if (::testing::Test::HasFailure()) break;
  }
  return ended;
}

class SignalsBeforeCalls : public Signals {
 protected:
  void SetUp() override {
#ifdef REBASIN_SANITIZED
    GTEST_SKIP() << "sanitizers have the calls to themselves";
#endif
  }
};

TEST_P(SignalsBeforeCalls, F08_KilledLeavesOldFilesOrNewOnes) {
  const Scene scene(GetParam());
  const long killed =
      EndBeforeEveryCall(scene, SIGKILL, TriesEverything() ? 1 : 5);
  EXPECT_GT(killed, 0);
  Report("kills before calls", killed);
}

TEST_P(SignalsBeforeCalls, F09_EndedLeavesNoTemporaryFile) {
  const Scene scene(GetParam());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const long ended =
        EndBeforeEveryCall(scene, signal, TriesEverything() ? 1 : 9);
    EXPECT_GT(ended, 0);
    Report("ended before calls", ended);
  }
}

TEST_P(SignalsBeforeCalls, F09_WhatIsIgnoredChangesNothing) {
  const Scene scene(GetParam());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const SignalDoes nothing(signal, SIG_IGN);
    Outcome outcome;
    EXPECT_TRUE(scene.RunWith({"any", "signal", signal}, &outcome));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    scene.ExpectNew();
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Signals, ::testing::ValuesIn(ChangingTasks()),
                         TaskName);
INSTANTIATE_TEST_SUITE_P(Of, SignalsBeforeCalls,
                         ::testing::ValuesIn(ChangingTasks()), TaskName);

}  // namespace
}  // namespace rebasin::testing
