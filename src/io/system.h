// The few calls to the operating system whose failures cannot be provoked at
// will. They go through this seam so that tests can interrupt, shorten and
// refuse them; everybody else uses the defaults.

#ifndef REBASIN_IO_SYSTEM_H_
#define REBASIN_IO_SYSTEM_H_

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace rebasin {

// Each call returns what the call of the same name returns, errno included.
class System {
 public:
  virtual ~System() = default;
  virtual ssize_t Read(int fd, void* buffer, size_t size) const;
  virtual ssize_t Write(int fd, const void* buffer, size_t size) const;
  virtual int Sync(int fd) const;
  // Fails with EEXIST if `to` exists and `replace` is off.
  virtual int Rename(const char* from, const char* to, bool replace) const;
  // Two files take each other's name, at one moment. EINVAL or ENOSYS where the
  // file system or the kernel cannot do that.
  virtual int Exchange(const char* a, const char* b) const;
  // Opens for reading what lies beneath the open folder, without passing a
  // symbolic link (ELOOP) or leaving the folder (EXDEV). ENOSYS where the
  // kernel cannot do that.
  virtual int OpenBeneath(int folder, const char* path) const;

  static const System& Default();
};

// Makes a call that returns -1 on failure again while signals interrupt it.
template <typename Call>
auto Uninterrupted(const Call& call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

// open() without being interrupted.
int OpenFile(const std::filesystem::path& path, int flags, mode_t mode = 0);

// The path from the root on. Throws Error(kIo) if it starts at the current
// folder and that is gone.
std::filesystem::path AbsolutePath(const std::filesystem::path& path);

// Throws Error(kIo): "cannot ACTION "path": reason".
[[noreturn]] void ThrowIo(const std::string& action,
                          const std::filesystem::path& path, int error);

// Reads until `buffer` is full or the file ends, through interruptions and
// short counts. Returns the number of bytes read.
size_t ReadFully(const System& system, int fd, std::span<char> buffer,
                 const std::filesystem::path& path);

// Writes all of `bytes`, through interruptions and short counts.
void WriteFully(const System& system, int fd, std::span<const std::byte> bytes,
                const std::filesystem::path& path);

}  // namespace rebasin

#endif  // REBASIN_IO_SYSTEM_H_
