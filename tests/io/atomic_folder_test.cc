#include "io/atomic_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

// Gives no folder a name.
class RefusingSystem : public System {
 public:
  int Rename(const char*, const char*, bool) const override { return Fail(); }
  int Exchange(const char*, const char*) const override { return Fail(); }

 private:
  static int Fail() {
    errno = ENOSPC;
    return -1;
  }
};

class AtomicFolderTest : public ::testing::Test {
 protected:
  // A folder with one file, published unless it fails.
  void Write(const std::string& content, bool force = false,
             const System& system = System::Default()) const {
    AtomicFolder folder(dir_ / "out", force, "mark", system);
    dir_.Write(fs::relative(folder.path(), dir_.path()) / "mark", content);
    folder.Publish();
  }
  std::string Content() const { return ReadAll(dir_ / "out/mark"); }

  const TempDir dir_;
};

TEST_F(AtomicFolderTest, IsThereOnceItIsPublished) {
  Write("new");
  EXPECT_EQ(Content(), "new");
  EXPECT_THAT(dir_.Files(), ElementsAre("out"));
}

TEST_F(AtomicFolderTest, LeavesNothingIfItIsNotPublished) {
  { const AtomicFolder folder(dir_ / "out", false, "mark"); }
  EXPECT_TRUE(dir_.Files().empty());
}

TEST_F(AtomicFolderTest, KeepsTheOldOneIfItCannotBeRenamed) {
  ExpectError(ErrorCode::kIo, {"out"},
              [&] { Write("new", false, RefusingSystem()); });
  EXPECT_TRUE(dir_.Files().empty());
  Write("old");
  ExpectError(ErrorCode::kIo, {"out"},
              [&] { Write("new", true, RefusingSystem()); });
  EXPECT_EQ(Content(), "old");
  EXPECT_THAT(dir_.Files(), ElementsAre("out"));
}

TEST_F(AtomicFolderTest, ReplacesAnOldOneOnlyByForce) {
  Write("old");
  ExpectError(ErrorCode::kUsage, {"exists"}, [&] { Write("new"); });
  Write("new", true);
  EXPECT_EQ(Content(), "new");
  EXPECT_THAT(dir_.Files(), ElementsAre("out"));
}

TEST_F(AtomicFolderTest, NeverReplacesSomethingElse) {
  fs::create_directory(dir_ / "out");
  dir_.Write("out/diary", "");
  ExpectError(ErrorCode::kUsage, {"not replaced"}, [&] { Write("new", true); });
  dir_.Write("out/mark", "");
  fs::create_directory(dir_ / "out/within");
  ExpectError(ErrorCode::kUsage, {"not replaced"}, [&] { Write("new", true); });
  EXPECT_TRUE(fs::exists(dir_ / "out/diary"));
  fs::remove_all(dir_ / "out");
  fs::create_directory_symlink(dir_.path(), dir_ / "out");
  ExpectError(ErrorCode::kUsage, {"not replaced"}, [&] { Write("new", true); });
}

}  // namespace
}  // namespace rebasin
