// Calls about files that are open.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/inject/next.h"

namespace {

using faults::Unless;
using faults::UnlessShort;

}  // namespace

extern "C" {

ssize_t read(int fd, void* buffer, size_t size) {
  NEXT(read);
  return UnlessShort("read", fd, size,
                     [&](size_t most) { return next(fd, buffer, most); });
}

ssize_t pread(int fd, void* buffer, size_t size, off_t offset) {
  NEXT(pread);
  return UnlessShort("read", fd, size, [&](size_t most) {
    return next(fd, buffer, most, offset);
  });
}

ssize_t write(int fd, const void* buffer, size_t size) {
  NEXT(write);
  return UnlessShort("write", fd, size,
                     [&](size_t most) { return next(fd, buffer, most); });
}

ssize_t pwrite(int fd, const void* buffer, size_t size, off_t offset) {
  NEXT(pwrite);
  return UnlessShort("write", fd, size, [&](size_t most) {
    return next(fd, buffer, most, offset);
  });
}

int fsync(int fd) {
  NEXT(fsync);
  return Unless("sync", fd, [&] { return next(fd); });
}

int fdatasync(int fd) {
  NEXT(fdatasync);
  return Unless("sync", fd, [&] { return next(fd); });
}

int fallocate(int fd, int mode, off_t offset, off_t size) {
  NEXT(fallocate);
  return Unless("reserve", fd, [&] { return next(fd, mode, offset, size); });
}

int ftruncate(int fd, off_t size) noexcept {
  NEXT(ftruncate);
  return Unless("truncate", fd, [&] { return next(fd, size); });
}

int fstat(int fd, struct stat* status) noexcept {
  NEXT(fstat);
  return Unless("stat", fd, [&] { return next(fd, status); });
}

// Linux closes the file whatever it then says, and so does this.
int close(int fd) {
  NEXT(close);
  const bool concerns = faults::Concerns(fd);
  const int result = next(fd);
  const bool fails = concerns && faults::Meets("close") == faults::Fate::kError;
  return fails ? -1 : result;
}

void* mmap(void* address, size_t size, int protection, int flags, int fd,
           off_t offset) noexcept {
  NEXT(mmap);
  const bool fails = fd >= 0 && faults::Concerns(fd) &&
                     faults::Meets("map") == faults::Fate::kError;
  if (fails) return MAP_FAILED;
  return next(address, size, protection, flags, fd, offset);
}

}  // extern "C"
