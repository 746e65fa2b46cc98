// System calls whose failures cannot be provoked at will. Tests replace them to
// interrupt, shorten and fail them; other code uses the defaults.

#ifndef REBASIN_IO_SYSTEM_H_
#define REBASIN_IO_SYSTEM_H_

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace rebasin {

// Each function returns what the system call of the same name returns, and sets
// errno.
class System {
 public:
  virtual ~System() = default;
  virtual ssize_t Read(int fd, void* buffer, size_t size) const;
  virtual ssize_t Write(int fd, const void* buffer, size_t size) const;
  virtual int Sync(int fd) const;
  // Fails with EEXIST if `to` exists and `replace` is false.
  virtual int Rename(const char* from, const char* to, bool replace) const;
  // Exchanges the names of two files atomically. Fails with EINVAL or ENOSYS if
  // the file system or kernel does not support it.
  virtual int Exchange(const char* a, const char* b) const;
  // Opens for reading a path inside the open folder, without following symbolic
  // links (ELOOP) or leaving the folder (EXDEV). ENOSYS if the kernel does not
  // support it.
  virtual int OpenBeneath(int folder, const char* path) const;

  static const System& Default();
};

// Repeats a call that returns -1 on failure while signals interrupt it.
template <typename Call>
auto Uninterrupted(const Call& call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

// open(), repeated after interruptions.
int OpenFile(const std::filesystem::path& path, int flags, mode_t mode = 0);

// Returns the absolute path. Throws Error(kIo) if it is relative and the
// current folder no longer exists.
std::filesystem::path AbsolutePath(const std::filesystem::path& path);

// Throws Error(kIo): "cannot ACTION "path": reason".
[[noreturn]] void ThrowIo(const std::string& action,
                          const std::filesystem::path& path, int error);

// Reads until `buffer` is full or the file ends, repeating interrupted and
// short reads. Returns the number of bytes.
size_t ReadFully(const System& system, int fd, std::span<char> buffer,
                 const std::filesystem::path& path);

// Writes all of `bytes`, repeating interrupted and short writes.
void WriteFully(const System& system, int fd, std::span<const std::byte> bytes,
                const std::filesystem::path& path);

}  // namespace rebasin

#endif  // REBASIN_IO_SYSTEM_H_
