#include "io/file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/expect_error.h"
#include "support/limits.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

std::string Text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()),
          file.bytes().size()};
}

TEST(MappedFile, ShowsTheContent) {
  const TempDir dir;
  EXPECT_EQ(Text(*MappedFile::Open(dir.Write("in", "hello"))), "hello");
  EXPECT_EQ(Text(*MappedFile::Open(dir.Write("empty", ""))), "");
}

TEST(MappedFile, F01_SaysWhatIsNoRegularFile) {
  const TempDir dir;
  ExpectError(ErrorCode::kIo, {"a directory", dir.path().native()},
              [&] { MappedFile::Open(dir.path()); });
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = (dir / "s").native();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const FileDescriptor socket_fd(socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind(socket_fd.get(), reinterpret_cast<sockaddr*>(&address),
                 sizeof address),
            0);
  ExpectError(ErrorCode::kIo, {"a socket"}, [&] { MappedFile::Open(path); });
}

TEST(MappedFile, F01_RespectsPermissions) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read anything";
  const TempDir dir;
  const auto path = dir.Write("in", "secret");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  ExpectError(ErrorCode::kIo, {"Permission denied"},
              [&] { MappedFile::Open(path); });
}

TEST(MappedFile, F13_PathsAreShownEscaped) {
  ExpectError(ErrorCode::kIo, {"\"a \\xff\\n\\\"b\""},
              [] { MappedFile::Open("a \xFF\n\"b"); });
  ExpectError(ErrorCode::kIo, {"File name too long"},
              [] { MappedFile::Open(std::string(5000, 'n')); });
}

TEST(MappedFile, F17_RunningOutOfDescriptorsIsAnIoError) {
#ifdef REBASIN_SANITIZED
  GTEST_SKIP() << "the sanitizers need descriptors to look at an exception";
#endif
  const TempDir dir;
  const auto path = dir.Write("in", "x");
  ExpectError(ErrorCode::kIo, {path.native(), "Too many open files"}, [&] {
    const LowerLimit none(RLIMIT_NOFILE, 0);
    MappedFile::Open(path);
  });
}

TEST(MappedFile, M21_AnyNumberCanBeOpenAtOnce) {
  const TempDir dir;
  const auto path = dir.Write("in", "x");
  std::vector<std::shared_ptr<const MappedFile>> files;
  for (int i = 0; i < 3000; ++i) files.push_back(MappedFile::Open(path));
  EXPECT_EQ(Text(*files.back()), "x");
}

TEST(MappedFile, NoticesChanges) {
  const TempDir dir;
  const auto path = dir.Write("in", "x");
  const auto file = MappedFile::Open(path);
  file->CheckUnchanged();
  dir.Write("in", "longer");
  ExpectError(ErrorCode::kIo, {"from 1 to 6 bytes"},
              [&] { file->CheckUnchanged(); });
  std::filesystem::remove(path);
  ExpectError(ErrorCode::kIo, {"No such file"},
              [&] { file->CheckUnchanged(); });
}

TEST(ReadSmallFile, RefusesLargeFilesUnread) {
  const TempDir dir;
  const auto path = dir.Write("in", "hello");
  EXPECT_EQ(ReadSmallFile(path, 5), "hello");
  ExpectError(ErrorCode::kLimit, {"5 bytes", "4"},
              [&] { ReadSmallFile(path, 4); });
}

}  // namespace
}  // namespace rebasin
