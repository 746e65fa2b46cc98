// Calls about files that are named by paths.

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>

#include "faults/inject/next.h"

namespace {

using faults::Concerns;
using faults::Unless;

// A path that starts at an open folder.
struct Place {
  int folder;
  const char* path;
};

bool Below(const Place& place) {
  const bool by_path = place.folder == AT_FDCWD || place.path[0] == '/';
  return by_path ? Concerns(place.path) : Concerns(place.folder);
}

template <typename Call>
int UnlessAt(const char* kind, const Place& place, const Call& call) {
  const bool fails =
      Below(place) && faults::Meets(kind) == faults::Fate::kError;
  return fails ? -1 : call();
}

template <typename Call>
int Opens(const Place& place, const Call& call) {
  if (Below(place)) faults::StartCountingMemory();
  return UnlessAt("open", place, call);
}

mode_t ModeOf(int flags, va_list more) {
  const bool creates = (flags & O_CREAT) != 0;
  return creates ? va_arg(more, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  NEXT(open);
  va_list more;
  va_start(more, flags);
  const mode_t mode = ModeOf(flags, more);
  va_end(more);
  return Opens({AT_FDCWD, path}, [&] { return next(path, flags, mode); });
}

int openat(int folder, const char* path, int flags, ...) {
  NEXT(openat);
  va_list more;
  va_start(more, flags);
  const mode_t mode = ModeOf(flags, more);
  va_end(more);
  return Opens({folder, path}, [&] { return next(folder, path, flags, mode); });
}

// For openat2, which the C library does not have.
long syscall(long number, ...) {
  NEXT(syscall);
  va_list more;
  va_start(more, number);
  long a[6];
  for (long& argument : a) argument = va_arg(more, long);
  va_end(more);
  const auto call = [&] {
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  };
  if (number != SYS_openat2) return call();
  return Opens({static_cast<int>(a[0]), reinterpret_cast<const char*>(a[1])},
               [&] { return static_cast<int>(call()); });
}

int stat(const char* path, struct stat* status) noexcept {
  NEXT(stat);
  return Unless("stat", path, [&] { return next(path, status); });
}

int lstat(const char* path, struct stat* status) noexcept {
  NEXT(lstat);
  return Unless("stat", path, [&] { return next(path, status); });
}

int fstatat(int folder, const char* path, struct stat* status,
            int flags) noexcept {
  NEXT(fstatat);
  return UnlessAt("stat", {folder, path},
                  [&] { return next(folder, path, status, flags); });
}

int rename(const char* from, const char* to) noexcept {
  NEXT(rename);
  return Unless("rename", to, [&] { return next(from, to); });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  NEXT(renameat2);
  return UnlessAt("rename", {to_folder, to}, [&] {
    return next(from_folder, from, to_folder, to, flags);
  });
}

int unlink(const char* path) noexcept {
  NEXT(unlink);
  return Unless("unlink", path, [&] { return next(path); });
}

int remove(const char* path) noexcept {
  NEXT(remove);
  return Unless("unlink", path, [&] { return next(path); });
}

}  // extern "C"
