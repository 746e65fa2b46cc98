// Every call to the operating system about a file fails once, for every
// command: files are old or new, and the program says what is wrong.

#include <gtest/gtest.h>

#include <cerrno>

#include "faults/long_run.h"
#include "faults/scene.h"

namespace rebasin::testing {
namespace {

enum class Then {
  kFails,     // nothing can be done about it
  kSucceeds,  // it is no error, or a second try is allowed
  kEither,    // what failed may not have been needed
};

struct Row {
  Fault fault;
  Then then;
  bool quick = true;  // part of the usual run
};

const std::vector<Row> kRows = {
    {{"open", "error", EIO}, Then::kFails},
    {{"open", "error", EMFILE}, Then::kFails, false},
    {{"open", "error", ENOMEM}, Then::kFails, false},
    {{"open", "error", EINTR}, Then::kSucceeds},
    {{"stat", "error", EIO}, Then::kEither},
    {{"stat", "error", ENOMEM}, Then::kEither, false},
    {{"map", "error", ENOMEM}, Then::kFails},
    {{"map", "error", EIO}, Then::kFails, false},
    {{"read", "error", EIO}, Then::kFails},
    {{"read", "error", EINTR}, Then::kSucceeds},
    {{"read", "short"}, Then::kSucceeds},
    {{"reserve", "error", ENOSPC}, Then::kFails},
    {{"reserve", "error", EDQUOT}, Then::kFails, false},
    {{"reserve", "error", EINTR}, Then::kSucceeds},
    {{"reserve", "error", EOPNOTSUPP}, Then::kSucceeds},
    {{"write", "error", ENOSPC}, Then::kFails},
    {{"write", "error", EIO}, Then::kFails, false},
    {{"write", "error", EDQUOT}, Then::kFails, false},
    {{"write", "error", EINTR}, Then::kSucceeds},
    {{"write", "short"}, Then::kSucceeds},
    // A second fsync would succeed though data was lost.
    {{"sync", "error", EIO}, Then::kFails},
    {{"sync", "error", ENOSPC}, Then::kFails, false},
    {{"sync", "error", EINTR}, Then::kSucceeds},
    {{"rename", "error", EIO}, Then::kFails},
    {{"rename", "error", ENOSPC}, Then::kFails, false},
    {{"rename", "error", EACCES}, Then::kFails, false},
    {{"close", "error", EIO}, Then::kEither},
    {{"close", "error", EINTR}, Then::kSucceeds},
    {{"unlink", "error", EIO}, Then::kEither},
};

void ExpectPromise(const Scene& scene, const Row& row, const Outcome& outcome) {
  if (row.then == Then::kSucceeds) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  } else if (row.then == Then::kFails || outcome.exit_code != 0) {
    ExpectOneError(outcome, {scene.task().io_code});
  }
  // What cannot be removed stays.
  scene.ExpectOldOrNew(outcome, row.fault.kind == "unlink" ? 1 : 0);
}

// Every call in turn, until there are no more. Returns how many there were.
long TryEveryCall(const Scene& scene, Row row) {
  Outcome outcome;
  while (scene.RunWith(row.fault, &outcome)) {
    SCOPED_TRACE(TextOf(row.fault));
    ExpectPromise(scene, row, outcome);
    if (::testing::Test::HasFailure()) break;
    ++row.fault.call;
  }
  return row.fault.call - 1;
}

std::map<std::string, long> TryAll(const Scene& scene) {
  std::map<std::string, long> tried;  // by kind
  for (const Row& row : kRows) {
    if (!row.quick && !TriesEverything()) continue;
    tried[row.fault.kind] += TryEveryCall(scene, row);
  }
  for (const auto& [kind, count] : tried) Report(kind, count);
  return tried;
}

class Calls : public ::testing::TestWithParam<Task> {
 protected:
  void SetUp() override {
#ifdef REBASIN_SANITIZED
    GTEST_SKIP() << "sanitizers have the calls to themselves";
#endif
  }
};

TEST_P(Calls, F14_F15_ThatFailLeaveOldFilesOrNewOnes) {
  const Scene scene(GetParam());
  const auto tried = TryAll(scene);
  for (const char* kind : {"open", "stat", "map", "close"}) {
    EXPECT_GT(tried.at(kind), 0) << kind;
  }
  if (GetParam().outputs.empty()) return;
  for (const char* kind : {"write", "sync", "rename"}) {
    EXPECT_GT(tried.at(kind), 0) << kind;
  }
}

TEST_P(Calls, F14_F15_ThatFailLeaveNoFileWhereThereWasNone) {
  if (GetParam().outputs.empty() || GetParam().in_place) return;
  const Scene scene(GetParam(), Scene::Outputs::kAreNew);
  EXPECT_GT(TryEveryCall(scene, {{"sync", "error", EIO}, Then::kFails}), 0);
  EXPECT_GT(TryEveryCall(scene, {{"rename", "error", EIO}, Then::kFails}), 0);
}

INSTANTIATE_TEST_SUITE_P(Of, Calls, ::testing::ValuesIn(AllTasks()), TaskName);

}  // namespace
}  // namespace rebasin::testing
