#include "memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

// Not atomic: targets run on one thread.
size_t live_bytes = 0;
size_t peak_bytes = 0;

void* Allocate(size_t size) noexcept {
  void* memory = std::malloc(std::max<size_t>(size, 1));
  live_bytes += malloc_usable_size(memory);
  peak_bytes = std::max(peak_bytes, live_bytes);
  return memory;
}

void* AllocateOrThrow(size_t size) {
  void* memory = Allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void Free(void* memory) noexcept {
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return AllocateOrThrow(size); }
void* operator new[](size_t size) { return AllocateOrThrow(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size);
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, size_t) noexcept { Free(memory); }
void operator delete[](void* memory, size_t) noexcept { Free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  Free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  Free(memory);
}

namespace rebasin {

MemoryMeter::MemoryMeter() : before_(live_bytes) { peak_bytes = live_bytes; }

size_t MemoryMeter::peak() const { return peak_bytes - before_; }

void CheckMemory(const MemoryMeter& meter, size_t input_bytes, size_t times,
                 size_t always) {
  if (meter.peak() <= always + times * input_bytes) return;
  std::fprintf(stderr, "%zu bytes of input took %zu bytes of memory\n",
               input_bytes, meter.peak());
  std::abort();
}

}  // namespace rebasin
