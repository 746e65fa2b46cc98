#include "io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "io/mapped_ranges.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = other.Release();
  }
  return *this;
}

int FileDescriptor::Release() { return std::exchange(fd_, -1); }

void FileDescriptor::Close() {
  // Not repeated on EINTR: Linux has then already released the number.
  if (fd_ >= 0) close(Release());
}

FileIdentity IdentityOf(const struct stat& status) {
  constexpr int64_t kNanoseconds = 1'000'000'000;
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = status.st_size,
          .modified_ns =
              status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

std::string KindOfFile(const struct stat& status) {
  switch (status.st_mode & S_IFMT) {
    case S_IFREG:
      return "a regular file";
    case S_IFDIR:
      return "a directory";
    case S_IFIFO:
      return "a FIFO";
    case S_IFCHR:
      return "a character device";
    case S_IFBLK:
      return "a block device";
    case S_IFSOCK:
      return "a socket";
    case S_IFLNK:
      return "a symbolic link";
    default:
      return "not a regular file";
  }
}

void RequireRegular(const struct stat& status, const fs::path& path) {
  if (S_ISREG(status.st_mode)) return;
  throw Error(ErrorCode::kIo, "cannot read " + Quoted(path.native()) +
                                  ": it is " + KindOfFile(status) +
                                  ", not a regular file");
}

bool IsRegularFile(const fs::path& path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0) return S_ISREG(status.st_mode);
  if (errno == EIO || errno == ENOMEM) ThrowIo("look at", path, errno);
  return false;
}

OpenedFile OpenRegularFile(const fs::path& path) {
  // Checked before opening, because opening a socket fails with an unhelpful
  // message, and opening some devices has side effects.
  struct stat status;
  if (stat(path.c_str(), &status) != 0) ThrowIo("open", path, errno);
  RequireRegular(status, path);
  // Non-blocking, in case it has just become a FIFO.
  OpenedFile file;
  file.descriptor =
      FileDescriptor(OpenFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.descriptor.valid()) ThrowIo("open", path, errno);
  if (fstat(file.descriptor.get(), &status) != 0) ThrowIo("open", path, errno);
  RequireRegular(status, path);
  file.identity = IdentityOf(status);
  return file;
}

std::string ReadSmallFile(const fs::path& path, int64_t max_bytes,
                          const System& system) {
  const OpenedFile file = OpenRegularFile(path);
  if (file.identity.size > max_bytes) {
    throw Error(ErrorCode::kLimit, Quoted(path.native()) + " has " +
                                       std::to_string(file.identity.size) +
                                       " bytes; the limit is " +
                                       std::to_string(max_bytes));
  }
  std::string content(static_cast<size_t>(file.identity.size), '\0');
  content.resize(ReadFully(system, file.descriptor.get(), content, path));
  return content;
}

std::shared_ptr<const MappedFile> MappedFile::Open(const fs::path& path) {
  return Map(path, OpenRegularFile(path));
}

std::shared_ptr<const MappedFile> MappedFile::Map(const fs::path& path,
                                                  const OpenedFile& file) {
  return std::shared_ptr<const MappedFile>(new MappedFile(path, file));
}

MappedFile::MappedFile(const fs::path& path, const OpenedFile& file)
    : path_(AbsolutePath(path)), identity_(file.identity) {
  const size_t size = static_cast<size_t>(identity_.size);
  if (size == 0) return;  // mapping an empty file is an error
  void* data =
      mmap(nullptr, size, PROT_READ, MAP_SHARED, file.descriptor.get(), 0);
  if (data == MAP_FAILED) ThrowIo("map", path, errno);
  bytes_ = {static_cast<const std::byte*>(data), size};
  try {
    MappedRanges::All().Add(bytes_);
  } catch (...) {
    munmap(data, size);
    throw;
  }
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  MappedRanges::All().Remove(bytes_);
  munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::CheckUnchanged() const {
  struct stat status;
  if (stat(path_.c_str(), &status) != 0) ThrowIo("find again", path_, errno);
  const FileIdentity now = IdentityOf(status);
  if (now == identity_) return;
  const bool same_file =
      now.device == identity_.device && now.inode == identity_.inode;
  const std::string what = !same_file ? " was replaced by another file"
                           : now.size != identity_.size
                               ? " changed from " +
                                     std::to_string(identity_.size) + " to " +
                                     std::to_string(now.size) + " bytes"
                               : " was written to";
  throw Error(ErrorCode::kIo,
              Quoted(path_.native()) + what + " while it was being read");
}

}  // namespace rebasin
