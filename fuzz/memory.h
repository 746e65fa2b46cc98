// Measures the memory of a fuzz target: operator new and delete are replaced
// (memory.cc) by versions that count.

#ifndef REBASIN_FUZZ_MEMORY_H_
#define REBASIN_FUZZ_MEMORY_H_

#include <cstddef>

namespace rebasin {

// The largest amount of memory allocated at one time since construction, beyond
// the amount at construction. Only one may exist at a time.
class MemoryMeter {
 public:
  MemoryMeter();
  size_t peak() const;

 private:
  size_t before_;
};

// For messages, initial buffers, and tables of a fixed size.
inline constexpr size_t kAlwaysTaken = 256 << 10;

// Aborts, with both numbers, if reading `input_bytes` took more than `times` *
// input_bytes + `always`. SECURITY.md documents these limits.
void CheckMemory(const MemoryMeter& meter, size_t input_bytes, size_t times,
                 size_t always = kAlwaysTaken);

// The same for specs, and for alignments, which contain one: sums on many axes
// multiply to many small blocks.
inline void CheckSpecMemory(const MemoryMeter& meter, size_t input_bytes) {
  CheckMemory(meter, input_bytes, 100, 64 << 20);
}

}  // namespace rebasin

#endif  // REBASIN_FUZZ_MEMORY_H_
