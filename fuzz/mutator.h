// Mutators for specific formats, with libFuzzer's interface. Without libFuzzer,
// replay_main.cc calls them.

#ifndef REBASIN_FUZZ_MUTATOR_H_
#define REBASIN_FUZZ_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/random.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace rebasin {

// Returns a changed version of `input`; empty if it cannot be parsed.
using Mutate = std::string (*)(std::string_view input, Random& random);

// Mostly uses `mutate`; sometimes, and if that returns nothing, changes bytes.
inline size_t MutateInPlace(Mutate mutate, uint8_t* data, size_t size,
                            size_t max_size, unsigned seed) {
  constexpr uint64_t kOneInSo = 6;
  Random random(seed);
  if (random.Below(kOneInSo) != 0) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::string output = mutate(input, random);
    if (!output.empty() && output.size() <= max_size) {
      std::memcpy(data, output.data(), output.size());
      return output.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

}  // namespace rebasin

#define REBASIN_CUSTOM_MUTATOR(mutate)                                        \
  extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,       \
                                            size_t max_size, unsigned seed) { \
    return rebasin::MutateInPlace(mutate, data, size, max_size, seed);        \
  }

#endif  // REBASIN_FUZZ_MUTATOR_H_
