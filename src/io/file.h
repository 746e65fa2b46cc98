// Files for reading: descriptors that close themselves, whole small files, and
// read-only mappings of large ones.

#ifndef REBASIN_IO_FILE_H_
#define REBASIN_IO_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "io/system.h"

struct stat;

namespace rebasin {

// Owns a file descriptor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release();
  void Close();

 private:
  int fd_;
};

// What tells one state of a file from another.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = 0;
  int64_t modified_ns = 0;

  bool operator==(const FileIdentity&) const = default;
};

FileIdentity IdentityOf(const struct stat& status);

// "a directory", "a FIFO", ...
std::string KindOfFile(const struct stat& status);

// Throws Error(kIo) that says what it is, if it is no regular file.
void RequireRegular(const struct stat& status,
                    const std::filesystem::path& path);

// Whether the path leads to a regular file. Throws Error(kIo) if the system
// fails to say: that something is no file must not be guessed.
bool IsRegularFile(const std::filesystem::path& path);

// An open regular file. Anything else (a directory, a FIFO, a device, a
// socket) throws Error(kIo) that says what it is, and never blocks.
struct OpenedFile {
  FileDescriptor descriptor;
  FileIdentity identity;
};
OpenedFile OpenRegularFile(const std::filesystem::path& path);

// The same for a file that somebody else named: `name` must lead to a file
// beneath `folder`, without symbolic links on the way, that has no other name
// (hard link) elsewhere. Throws Error(kBadInput) if not; Error(kIo) if it
// cannot be opened. There is no moment between looking and opening.
OpenedFile OpenBeneath(const std::filesystem::path& folder,
                       const std::filesystem::path& name,
                       const System& system = System::Default());

// The content of a small file. Throws Error(kLimit) if it is larger than
// `max_bytes`, before anything of that size is allocated.
std::string ReadSmallFile(const std::filesystem::path& path, int64_t max_bytes,
                          const System& system = System::Default());

// A whole file mapped for reading. Holds no descriptor, so that any number of
// files can be mapped at once. If somebody truncates the file, touching the
// lost pages raises SIGBUS (see ExitCleanlyOnSignals).
class MappedFile {
 public:
  static std::shared_ptr<const MappedFile> Open(
      const std::filesystem::path& path);
  // Of a file that is open already; `path` is where it was found.
  static std::shared_ptr<const MappedFile> Map(
      const std::filesystem::path& path, const OpenedFile& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  // Throws Error(kIo) if the path no longer leads to the file that was mapped,
  // or its size or modification time is another.
  void CheckUnchanged() const;

 private:
  MappedFile(const std::filesystem::path& path, const OpenedFile& file);

  std::filesystem::path path_;  // absolute: the working directory may change
  FileIdentity identity_;
  std::span<const std::byte> bytes_;
};

}  // namespace rebasin

#endif  // REBASIN_IO_FILE_H_
