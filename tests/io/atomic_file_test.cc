#include "io/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

void WriteAtomically(const fs::path& path, std::string_view text,
                     const AtomicFileOptions& options = {}) {
  AtomicFile file(path, options);
  file.Write(Bytes(text));
  file.Finish();
  file.Publish();
  SyncFolder(path.parent_path(), *options.system);
}

TEST(AtomicFile, AppearsOnlyWhenPublished) {
  const TempDir dir;
  AtomicFile file(dir / "out");
  file.Write(Bytes("hello"));
  EXPECT_EQ(file.written(), 5);
  EXPECT_THAT(dir.Files(),
              ElementsAre(MatchesRegex("\\.out\\.rebasin-......\\.tmp")));
  file.Finish();
  EXPECT_EQ(ReadAll(file.written_path()), "hello");
  file.Publish();
  EXPECT_THAT(dir.Files(), ElementsAre("out"));
  EXPECT_EQ(ReadAll(dir / "out"), "hello");
}

TEST(AtomicFile, IsRemovedIfNeverPublished) {
  const TempDir dir;
  { AtomicFile file(dir / "out"); }
  EXPECT_THAT(dir.Files(), IsEmpty());
}

TEST(AtomicFile, ReservedSpaceDoesNotChangeTheLength) {
  const TempDir dir;
  AtomicFile file(dir / "out");
  file.Reserve(1 << 20);
  file.Write(Bytes("short"));
  file.Finish();
  file.Publish();
  EXPECT_EQ(fs::file_size(dir / "out"), 5u);
}

TEST(AtomicFile, IsCheckedWithAllOfItWritten) {
  const TempDir dir;
  AtomicFile file(dir / "out");
  file.Write(Bytes("hello"));
  std::string seen;
  file.Finish([&] { seen = ReadAll(file.written_path()); });
  EXPECT_EQ(seen, "hello");
  file.Publish();
  EXPECT_EQ(ReadAll(dir / "out"), "hello");
}

TEST(AtomicFile, ThatFailsItsCheckNeverAppears) {
  const TempDir dir;
  ExpectError(ErrorCode::kIo, {"not what was written"}, [&] {
    AtomicFile file(dir / "out");
    file.Finish([] { throw Error(ErrorCode::kIo, "not what was written"); });
    file.Publish();
  });
  EXPECT_THAT(dir.Files(), IsEmpty());
}

TEST(AtomicFile, IsNotReadAgainFromADevice) {
  AtomicFile file("/dev/null");
  file.Write(Bytes("hello"));
  file.Finish([] { FAIL() << "nothing to read"; });
}

TEST(AtomicFile, GoesToTheDiskInPiecesWhileItIsWritten) {
  const TempDir dir;
  const std::string piece(size_t{20} << 20, 'p');
  AtomicFile file(dir / "out");
  for (int i = 0; i < 5; ++i) file.Write(Bytes(piece));
  file.Write(Bytes("end"));
  file.Finish();
  file.Publish();
  EXPECT_EQ(fs::file_size(dir / "out"), 5 * piece.size() + 3);
  const std::string all = ReadAll(dir / "out");
  EXPECT_EQ(all.find_first_not_of('p'), 5 * piece.size());
}

TEST(AtomicFile, F05_LinkIsRefusedOrItselfReplaced) {
  const TempDir dir;
  dir.Write("real", "old");
  fs::create_symlink("real", dir / "link");
  fs::create_symlink("nowhere", dir / "dangling");
  for (const char* name : {"link", "dangling"}) {
    ExpectError(ErrorCode::kUsage, {name, "exists"},
                [&] { WriteAtomically(dir / name, "new"); });
    WriteAtomically(dir / name, "new", {.force = true});
    EXPECT_FALSE(fs::is_symlink(dir / name));
    EXPECT_EQ(ReadAll(dir / name), "new");
  }
  EXPECT_EQ(ReadAll(dir / "real"), "old");
}

TEST(AtomicFile, F05_FifoIsRefusedEvenByForce) {
  const TempDir dir;
  ASSERT_EQ(mkfifo((dir / "fifo").c_str(), 0600), 0);
  ExpectError(ErrorCode::kIo, {"a FIFO"},
              [&] { WriteAtomically(dir / "fifo", "", {.force = true}); });
}

TEST(AtomicFile, F11_StaleTemporaryFilesAreLeftAlone) {
  const TempDir dir;
  dir.Write(".out.rebasin-aaaaaa.tmp", "stale");
  WriteAtomically(dir / "out", "new");
  EXPECT_THAT(dir.Files(), ElementsAre(".out.rebasin-aaaaaa.tmp", "out"));
}

TEST(AtomicFile, F13_AnyPathTheSystemTakesWorks) {
  const TempDir dir;
  for (const std::string& name :
       {std::string("a b"), std::string("-x"), std::string("new\nline"),
        std::string("\xFF\xFE"), std::string(255, 'n')}) {
    WriteAtomically(dir / name, "content");
    EXPECT_EQ(ReadAll(dir / name), "content");
  }
  ExpectError(ErrorCode::kIo, {"File name too long"},
              [&] { WriteAtomically(dir / std::string(5000, 'n'), ""); });
}

TEST(AtomicFile, F18_ModeFollowsTheUmask) {
  const TempDir dir;
  for (const mode_t mask : {0022, 0077, 0002}) {
    const mode_t before = umask(mask);
    const fs::path path = dir / std::to_string(mask);
    WriteAtomically(path, "");
    umask(before);
    struct stat status;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
  }
}

// Interrupts every second call and moves one byte at a time.
class StutteringSystem : public System {
 public:
  ssize_t Read(int fd, void* buffer, size_t size) const override {
    return Interrupted() ? -1
                         : System::Read(fd, buffer, std::min<size_t>(size, 1));
  }
  ssize_t Write(int fd, const void* buffer, size_t size) const override {
    return Interrupted() ? -1
                         : System::Write(fd, buffer, std::min<size_t>(size, 1));
  }

 private:
  bool Interrupted() const {
    errno = EINTR;
    return ++calls_ % 2 == 1;
  }
  mutable int calls_ = 0;
};

TEST(AtomicFile, F14_InterruptedAndShortCallsLoseNothing) {
  const TempDir dir;
  const StutteringSystem system;
  const std::string text(5000, 'x');
  WriteAtomically(dir / "out", text + "end", {.system = &system});
  EXPECT_EQ(ReadAll(dir / "out"), text + "end");
  EXPECT_EQ(ReadSmallFile(dir / "out", 10000, system), text + "end");
}

class FailingSystem : public System {
 public:
  ssize_t Read(int, void*, size_t) const override { return Fail(); }
  int Sync(int) const override {
    ++syncs;
    return Fail();
  }
  mutable int syncs = 0;

 private:
  static int Fail() {
    errno = EIO;
    return -1;
  }
};

TEST(AtomicFile, F15_FailedSyncIsAnErrorAndNotRepeated) {
  const TempDir dir;
  const FailingSystem system;
  ExpectError(ErrorCode::kIo, {"sync", "Input/output error"},
              [&] { WriteAtomically(dir / "out", "x", {.system = &system}); });
  EXPECT_EQ(system.syncs, 1);
  EXPECT_THAT(dir.Files(), IsEmpty());
}

TEST(AtomicFile, F15_FailedSyncIsAnErrorBesideACheck) {
  const TempDir dir;
  const FailingSystem system;
  ExpectError(ErrorCode::kIo, {"sync", "Input/output error"}, [&] {
    AtomicFile file(dir / "out", {.system = &system});
    file.Finish([] {});
    file.Publish();
  });
  EXPECT_EQ(system.syncs, 1);
  EXPECT_THAT(dir.Files(), IsEmpty());
}

TEST(ReadSmallFile, F15_FailedReadIsAnError) {
  const TempDir dir;
  const auto path = dir.Write("in", "x");
  ExpectError(ErrorCode::kIo, {path.native(), "Input/output error"},
              [&] { ReadSmallFile(path, 10, FailingSystem()); });
}

// Runs `body` in a child process and returns its wait status.
int StatusOfChild(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    ExitCleanlyOnSignals();
    body();
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(Signals, F09_RemoveTemporaryFilesAndSetTheExitCode) {
  const TempDir dir;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = StatusOfChild([&] {
      AtomicFile first(dir / "a"), second(dir / "b");
      { AtomicFile third(dir / "c"); }
      raise(signal);
    });
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
    EXPECT_THAT(dir.Files(), IsEmpty());
  }
}

TEST(Signals, InputTruncatedWhileMappedIsAnIoError) {
  const TempDir dir;
  const auto path = dir.Write("in", std::string(1 << 16, 'x'));
  const int status = StatusOfChild([&] {
    const auto file = MappedFile::Open(path);
    fs::resize_file(path, 0);
    const volatile std::byte* bytes = file->bytes().data();
    [[maybe_unused]] const std::byte byte = bytes[40000];
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST(Signals, F08_KilledWriterLeavesTheOldFileAndOneTemporary) {
  const TempDir dir;
  dir.Write("out", "old");
  const int status = StatusOfChild([&] {
    AtomicFile file(dir / "out", {.force = true});
    file.Write(Bytes("new"));
    raise(SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(ReadAll(dir / "out"), "old");
  EXPECT_EQ(dir.Files().size(), 2u);
  WriteAtomically(dir / "out", "newer", {.force = true});
  EXPECT_EQ(ReadAll(dir / "out"), "newer");
}

}  // namespace
}  // namespace rebasin
