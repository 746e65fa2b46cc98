// Inputs that somebody changes while they are read: the result belongs to one
// state of the file, or there is none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/long_run.h"
#include "faults/scene.h"

namespace rebasin::testing {
namespace {

namespace fs = std::filesystem;

class Inputs : public ::testing::TestWithParam<Task> {
 protected:
  using Change = std::function<void()>;

  void SetUp() override {
#ifdef REBASIN_SANITIZED
    GTEST_SKIP() << "sanitizers have the calls to themselves";
#endif
  }

  // The first input, and the other model, which has the same size.
  fs::path Input() const { return scene_.folder() / GetParam().args[1]; }
  std::string OtherModel() const {
    std::string name = GetParam().args[1];
    name[0] = name[0] == 'a' ? 'b' : 'a';
    return ReadAll(scene_.folder() / name);
  }

  // Makes the change just before each call that is about a file. Success gives
  // what belongs to the input as it was or as it is then; a failure nothing.
  void ChangeAtEveryCall(const Change& change, const std::vector<int>& codes) {
    scene_.Restore();
    const Contents before = scene_.OutputFiles();
    std::vector<Contents> good;
    for (const Change& first : {Change([] {}), change}) {
      scene_.Restore();
      first();
      if (scene_.RunOnTop().exit_code == 0) {
        good.push_back(scene_.OutputFiles());
      }
    }
    long changes = 0;
    Outcome outcome;
    for (long call = 1; scene_.RunStopped("any", call, change, &outcome);
         call += TriesEverything() ? 1 : 7, ++changes) {
      SCOPED_TRACE(call);
      if (outcome.exit_code != 0) ExpectOneError(outcome, codes);
      EXPECT_THAT(outcome.exit_code == 0 ? good : std::vector<Contents>{before},
                  ::testing::Contains(scene_.OutputFiles()));
      if (HasFailure()) break;
    }
    EXPECT_GT(changes, 0);
    Report("inputs changed", changes);
  }

  const Scene scene_{GetParam()};
};

TEST_P(Inputs, S43_RewrittenDoNotGiveAMixture) {
  const std::string other = OtherModel();
  ChangeAtEveryCall([&] { scene_.folder().Write(GetParam().args[1], other); },
                    {5});
}

TEST_P(Inputs, F22_ReplacedDoNotGiveAMixture) {
  const std::string other = OtherModel();
  const TempDir elsewhere;
  ChangeAtEveryCall(
      [&] { fs::rename(elsewhere.Write("other", other), Input()); }, {5});
}

// Before it is opened it is a file without anything in it.
TEST_P(Inputs, TruncatedAreAnError) {
  ChangeAtEveryCall([&] { fs::resize_file(Input(), 0); }, {3, 5});
}

INSTANTIATE_TEST_SUITE_P(Of, Inputs, ::testing::ValuesIn(WritingTasks()),
                         TaskName);

}  // namespace
}  // namespace rebasin::testing
