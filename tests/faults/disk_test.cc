// Disks that are full, too small or not to be written to.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "faults/scene.h"
#include "support/limits.h"

namespace rebasin::testing {
namespace {

namespace fs = std::filesystem;

class Disk : public ::testing::TestWithParam<Task> {};

// Of the size of a file: the smallest output has more.
constexpr rlim_t kLargestFile = 300;

TEST_P(Disk, F07_FileSizeLimitIsAnIoError) {
  const Scene scene(GetParam());
  Outcome outcome;
  {
    const LowerLimit limit(RLIMIT_FSIZE, kLargestFile);
    outcome = scene.RunOnTop();
  }
  // It ran on top of a complete output.
  ExpectOneError(outcome, {5});
  scene.ExpectNew();
}

// A file system in memory, beneath a folder; gone with the process at the
// latest, as nobody else sees it.
class SmallDisk {
 public:
  SmallDisk(const fs::path& place, unsigned long flags,
            const std::string& options)
      : place_(place) {
    fs::create_directory(place);
    const bool mounted =
        unshare(CLONE_NEWNS) == 0 &&
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        mount("tmpfs", place.c_str(), "tmpfs", flags, options.c_str()) == 0;
    if (!mounted) problem_ = std::generic_category().message(errno);
  }
  ~SmallDisk() { umount2(place_.c_str(), MNT_DETACH); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // Why there is none; empty if there is.
  const std::string& problem() const { return problem_; }
  // All files, hidden ones too.
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(place_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

 private:
  fs::path place_;
  std::string problem_;
};

// The task's words, with its outputs in a folder.
std::vector<std::string> WritingTo(const std::string& folder,
                                   const Task& task) {
  std::vector<std::string> words = task.args;
  for (std::string& word : words) {
    if (word.starts_with("out.")) word = folder + "/" + word;
  }
  return words;
}

TEST_P(Disk, F02_ReadOnlyDiskIsAnIoError) {
  const ModelFolder folder;
  WriteInputs(GetParam(), folder);
  const SmallDisk disk(folder / "disk", MS_RDONLY, "size=1m");
  if (!disk.problem().empty()) GTEST_SKIP() << disk.problem();
  const Outcome outcome = folder.Run(WritingTo("disk", GetParam()));
  ExpectOneError(outcome, {5});
  EXPECT_TRUE(outcome.says("Read-only file system")) << outcome.err;
}

// One page: the folder itself takes none.
TEST_P(Disk, FullDiskIsAnIoErrorAndStaysAsItWas) {
  const ModelFolder folder;
  WriteInputs(GetParam(), folder);
  const SmallDisk disk(folder / "disk", 0, "size=4k,nr_inodes=100");
  if (!disk.problem().empty()) GTEST_SKIP() << disk.problem();
  folder.Write("disk/full", std::string(4096, 'x'));
  const Outcome outcome = folder.Run(WritingTo("disk", GetParam()));
  ExpectOneError(outcome, {5});
  EXPECT_TRUE(outcome.says("No space left on device")) << outcome.err;
  EXPECT_EQ(disk.Files(), std::vector<std::string>{"full"});
}

TEST_P(Disk, DiskWithoutInodesIsAnIoError) {
  const ModelFolder folder;
  WriteInputs(GetParam(), folder);
  const SmallDisk disk(folder / "disk", 0, "size=1m,nr_inodes=1");
  if (!disk.problem().empty()) GTEST_SKIP() << disk.problem();
  ExpectOneError(folder.Run(WritingTo("disk", GetParam())), {5});
  EXPECT_TRUE(disk.Files().empty());
}

INSTANTIATE_TEST_SUITE_P(For, Disk, ::testing::ValuesIn(WritingTasks()),
                         TaskName);

// Each shard has up to 16 kB: two fit, the third does not.
TEST(ShardsOnDisk, F21_ThatRunsFullLeaveNoShard) {
  const ModelFolder folder;
  const SmallDisk disk(folder / "disk", 0, "size=44k");
  if (!disk.problem().empty()) GTEST_SKIP() << disk.problem();
  const Outcome outcome = folder.Run(WritingTo("disk", ShardedMerge()));
  ExpectOneError(outcome, {5});
  EXPECT_TRUE(disk.Files().empty());
}

TEST(Folder, F02_WithoutPermissionIsAnIoError) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const ModelFolder folder;
  fs::create_directory(folder / "locked");
  fs::permissions(folder / "locked", fs::perms::owner_read);
  const Outcome outcome = folder.Run(WritingTo("locked", PlainMerge()));
  ExpectOneError(outcome, {5});
  EXPECT_TRUE(outcome.says("Permission denied")) << outcome.err;
}

}  // namespace
}  // namespace rebasin::testing
