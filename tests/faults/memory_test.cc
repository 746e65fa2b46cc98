// Memory and threads are refused.

#include <gtest/gtest.h>

#include <cerrno>

#include "faults/long_run.h"
#include "faults/scene.h"

namespace rebasin::testing {
namespace {

class Refused : public ::testing::TestWithParam<Task> {
 protected:
  void SetUp() override {
#ifdef REBASIN_SANITIZED
    GTEST_SKIP() << "sanitizers have an allocator of their own";
#endif
  }
};

// Numbers that share no pattern with what a program does again and again.
constexpr long kStride = 149;

// Each of the allocations, or some of them; returns how many were refused.
long RefuseMemory(const Scene& scene, const std::string& act, long stride) {
  long refused = 0;
  Outcome outcome;
  for (Fault fault{"memory", act, ENOMEM}; scene.RunWith(fault, &outcome);
       fault.call += stride, ++refused) {
    SCOPED_TRACE(TextOf(fault));
    if (outcome.exit_code != 0) {
      ExpectOneError(outcome, {scene.task().io_code, 6});
    }
    scene.ExpectOldOrNew(outcome);
    if (::testing::Test::HasFailure()) break;
  }
  return refused;
}

TEST_P(Refused, MemoryIsALimitAndLeavesOldFilesOrNewOnes) {
  const Scene scene(GetParam());
  const long once =
      RefuseMemory(scene, "error", TriesEverything() ? 1 : kStride);
  EXPECT_GT(once, 0);
  Report("memory once", once);
  const long on =
      RefuseMemory(scene, "errors", TriesEverything() ? 7 : 3 * kStride);
  EXPECT_GT(on, 0);
  Report("memory from there on", on);
}

TEST_P(Refused, F17_ThreadsAreDoneWithout) {
  const Scene scene(GetParam());
  Outcome outcome;
  if (!scene.RunWith({"thread", "errors", EAGAIN}, &outcome)) return;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  scene.ExpectOldOrNew(outcome);
}

INSTANTIATE_TEST_SUITE_P(Of, Refused, ::testing::ValuesIn(AllTasks()),
                         TaskName);

}  // namespace
}  // namespace rebasin::testing
