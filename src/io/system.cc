#include "io/system.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "rebasin/error.h"

namespace rebasin {
namespace {

// Linux transfers at most this much in one call.
constexpr size_t kLargestTransfer = size_t{1} << 30;

// For file systems without RENAME_NOREPLACE. A file created between the two
// calls would be replaced; there is no better portable way.
int RenameAfterLooking(const char* from, const char* to) {
  if (faccessat(AT_FDCWD, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  return rename(from, to);
}

}  // namespace

ssize_t System::Read(int fd, void* buffer, size_t size) const {
  return read(fd, buffer, size);
}

ssize_t System::Write(int fd, const void* buffer, size_t size) const {
  return write(fd, buffer, size);
}

int System::Sync(int fd) const {
  return Uninterrupted([&] { return fsync(fd); });
}

int System::Rename(const char* from, const char* to, bool replace) const {
  if (replace) return rename(from, to);
#ifdef RENAME_NOREPLACE
  const int result = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
  if (result == 0 || (errno != EINVAL && errno != ENOSYS)) return result;
#endif
  return RenameAfterLooking(from, to);
}

int System::Exchange(const char* a, const char* b) const {
#ifdef RENAME_EXCHANGE
  return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
#else
  errno = ENOSYS;
  return -1;
#endif
}

int System::OpenBeneath(int folder, const char* path) const {
  open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return static_cast<int>(Uninterrupted(
      [&] { return syscall(SYS_openat2, folder, path, &how, sizeof how); }));
}

const System& System::Default() {
  static const System system;
  return system;
}

int OpenFile(const std::filesystem::path& path, int flags, mode_t mode) {
  return Uninterrupted([&] { return open(path.c_str(), flags, mode); });
}

std::filesystem::path AbsolutePath(const std::filesystem::path& path) {
  std::error_code error;
  auto absolute = std::filesystem::absolute(path, error);
  if (error) ThrowIo("find the current folder, for", path, error.value());
  return absolute;
}

void ThrowIo(const std::string& action, const std::filesystem::path& path,
             int error) {
  throw Error(ErrorCode::kIo, "cannot " + action + " " + Quoted(path.native()) +
                                  ": " +
                                  std::generic_category().message(error));
}

size_t ReadFully(const System& system, int fd, std::span<char> buffer,
                 const std::filesystem::path& path) {
  size_t done = 0;
  while (done < buffer.size()) {
    const size_t want = std::min(buffer.size() - done, kLargestTransfer);
    const ssize_t got = system.Read(fd, buffer.data() + done, want);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) ThrowIo("read", path, errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

void WriteFully(const System& system, int fd, std::span<const std::byte> bytes,
                const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const size_t want = std::min(bytes.size(), kLargestTransfer);
    const ssize_t put = system.Write(fd, bytes.data(), want);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) ThrowIo("write", path, errno);
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
}

}  // namespace rebasin
