// Reads files: descriptors, small files as a whole, and read-only mappings of
// large ones.

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

// Owns a file descriptor and closes it.
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

// Identifies a file and its state.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = 0;
  int64_t modified_ns = 0;

  bool operator==(const FileIdentity&) const = default;
};

FileIdentity IdentityOf(const struct stat& status);

// The kind of a file for messages: "a directory", "a FIFO", ...
std::string KindOfFile(const struct stat& status);

// Throws Error(kIo) with the kind of the file unless it is a regular file.
void RequireRegular(const struct stat& status,
                    const std::filesystem::path& path);

// True if the path leads to a regular file. Throws Error(kIo) if the system
// cannot tell; the answer must not be guessed.
bool IsRegularFile(const std::filesystem::path& path);

// An open regular file. For other kinds (a directory, a FIFO, a device, a
// socket) OpenRegular throws Error(kIo) with the kind, and never blocks.
struct OpenedFile {
  FileDescriptor descriptor;
  FileIdentity identity;
};
OpenedFile OpenRegularFile(const std::filesystem::path& path);

// Opens a file whose name comes from another file: `name` must lead to a file
// inside `folder`, without symbolic links, and without hard links elsewhere;
// otherwise throws Error(kBadInput). Throws Error(kIo) if it cannot be opened.
// Checking and opening are one atomic operation.
OpenedFile OpenBeneath(const std::filesystem::path& folder,
                       const std::filesystem::path& name,
                       const System& system = System::Default());

// Returns the content of a small file. Throws Error(kLimit) if it is larger
// than `max_bytes`, before allocating memory.
std::string ReadSmallFile(const std::filesystem::path& path, int64_t max_bytes,
                          const System& system = System::Default());

// A whole file mapped for reading. Holds no descriptor, so any number of files
// can be mapped. If the file is truncated later, reading the lost pages raises
// SIGBUS (see ExitCleanlyOnSignals).
class MappedFile {
 public:
  static std::shared_ptr<const MappedFile> Open(
      const std::filesystem::path& path);
  // Maps an open file; `path` is its path.
  static std::shared_ptr<const MappedFile> Map(
      const std::filesystem::path& path, const OpenedFile& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  // Throws Error(kIo) if the path no longer leads to the mapped file, or if the
  // file's size or modification time changed.
  void CheckUnchanged() const;

 private:
  MappedFile(const std::filesystem::path& path, const OpenedFile& file);

  // absolute, since the working directory may change
  std::filesystem::path path_;
  FileIdentity identity_;
  std::span<const std::byte> bytes_;
};

}  // namespace rebasin

#endif  // REBASIN_IO_FILE_H_
