// How much memory a piece of a target takes: operator new and delete are
// replaced (memory.cc) by ones that count.

#ifndef REBASIN_FUZZ_MEMORY_H_
#define REBASIN_FUZZ_MEMORY_H_

#include <cstddef>

namespace rebasin {

// The most that was allocated at one time since this was made, beyond what was
// there before. One at a time.
class MemoryMeter {
 public:
  MemoryMeter();
  size_t peak() const;

 private:
  size_t before_;
};

// Messages, the first pieces of buffers, tables of a fixed size.
inline constexpr size_t kAlwaysTaken = 256 << 10;

// Aborts, with both numbers, if reading `input_bytes` took more than `times` as
// much and `always`. SECURITY.md has the promise.
void CheckMemory(const MemoryMeter& meter, size_t input_bytes, size_t times,
                 size_t always = kAlwaysTaken);

// The same for specs, and alignments, which hold one: sums on many axes
// multiply to many blocks of few bytes.
inline void CheckSpecMemory(const MemoryMeter& meter, size_t input_bytes) {
  CheckMemory(meter, input_bytes, 100, 64 << 20);
}

}  // namespace rebasin

#endif  // REBASIN_FUZZ_MEMORY_H_
