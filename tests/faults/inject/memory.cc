// Memory and threads that the system refuses, and chance that is known.
//
// The allocator behind is called by its own names in the GNU C library: looking
// for it with dlsym would need memory.

#include <pthread.h>
#include <sys/random.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "faults/inject/next.h"

extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

}  // extern "C"

namespace {

template <typename Call>
void* UnlessRefused(const Call& call) {
  const bool refused =
      faults::CountsMemory() && faults::Meets("memory") == faults::Fate::kError;
  return refused ? nullptr : call();
}

}  // namespace

extern "C" {

void* malloc(size_t size) noexcept {
  return UnlessRefused([&] { return __libc_malloc(size); });
}

void* calloc(size_t count, size_t size) noexcept {
  return UnlessRefused([&] { return __libc_calloc(count, size); });
}

void* realloc(void* old, size_t size) noexcept {
  return UnlessRefused([&] { return __libc_realloc(old, size); });
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return UnlessRefused([&] { return __libc_memalign(alignment, size); });
}

int posix_memalign(void** place, size_t alignment, size_t size) noexcept {
  void* const memory = aligned_alloc(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *place = memory;
  return 0;
}

// What fails says so by its result, not by errno.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*start)(void*), void* argument) noexcept {
  NEXT(pthread_create);
  if (faults::Meets("thread") == faults::Fate::kError) return errno;
  return next(thread, attributes, start, argument);
}

// An error makes it zeros, which somebody could foresee.
ssize_t getrandom(void* buffer, size_t size, unsigned flags) {
  NEXT(getrandom);
  const ssize_t got = next(buffer, size, flags);
  if (faults::Meets("random") == faults::Fate::kError) {
    std::memset(buffer, 0, size);
  }
  return got;
}

}  // extern "C"
