// What the program finds around it: names that were foreseen, few descriptors,
// another language.

#include <gtest/gtest.h>

#include <filesystem>

#include "faults/scene.h"
#include "support/comma_locale.h"
#include "support/limits.h"

namespace rebasin::testing {
namespace {

namespace fs = std::filesystem;

// With chance out of the way, the first name that is tried is known.
TEST(Surroundings, F11_LinkAtTheTemporaryNameIsNotFollowed) {
#ifdef REBASIN_SANITIZED
  GTEST_SKIP() << "sanitizers have the calls to themselves";
#endif
  const Scene scene(PlainMerge());
  const TempDir elsewhere;
  elsewhere.Write("victim", "mine");
  const fs::path link = scene.folder() / ".out.safetensors.rebasin-aaaaaa.tmp";
  fs::create_symlink(elsewhere / "victim", link);
  // Once, and then always.
  const Outcome once = scene.RunOnTop(scene.Injecting({"random", "error"}));
  EXPECT_EQ(once.exit_code, 0) << once.err;
  const Outcome always = scene.RunOnTop(scene.Injecting({"random", "errors"}));
  ExpectOneError(always, {5});
  EXPECT_EQ(ReadAll(elsewhere / "victim"), "mine");
  EXPECT_TRUE(fs::is_symlink(link));
}

// The program needs one descriptor to start; shards and their index need two.
TEST(Surroundings, F17_FewDescriptorsAreAnIoErrorOrEnough) {
#ifdef REBASIN_SANITIZED
  GTEST_SKIP() << "the sanitizers need descriptors, too";
#endif
  const Scene scene(ShardedMerge());
  bool failed = false, succeeded = false;
  for (rlim_t limit = 4; limit < 20; ++limit) {
    scene.Restore();
    const LowerLimit lower(RLIMIT_NOFILE, limit);
    const Outcome outcome = scene.RunOnTop();
    if (outcome.exit_code == 127) continue;  // it did not start
    if (outcome.exit_code != 0) ExpectOneError(outcome, {5});
    scene.ExpectOldOrNew(outcome);
    (outcome.exit_code == 0 ? succeeded : failed) = true;
  }
  EXPECT_TRUE(failed && succeeded);
}

// A shell goes to a folder and removes it.
TEST(Surroundings, CurrentFolderThatIsGoneIsAnIoError) {
  const ModelFolder folder;
  const std::string a = folder / "a.safetensors";
  Program program(
      folder,
      {"-c", "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"", "sh",
       REBASIN_PROGRAM, "convert", a, "out.safetensors"},
      {}, "/bin/sh");
  ExpectOneError(program.Wait(), {5});
}

class InOtherSurroundings : public ::testing::TestWithParam<Task> {};

TEST_P(InOtherSurroundings, F19_ResultsAreTheSameBytes) {
  const Scene scene(GetParam());
  const CommaLocale comma;
  scene.Restore();
  for (const Environment& environment :
       {Environment{{"LOCPATH", comma.folder()},
                    {"LC_ALL", comma.name()},
                    {"TZ", "Pacific/Kiritimati"}},
        Environment{{"LC_ALL", ""}, {"TZ", {}}, {"HOME", {}}, {"PATH", {}}}}) {
    const Outcome outcome = scene.Run(environment);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    scene.ExpectNew();
  }
}

INSTANTIATE_TEST_SUITE_P(Of, InOtherSurroundings,
                         ::testing::ValuesIn(WritingTasks()), TaskName);

}  // namespace
}  // namespace rebasin::testing
