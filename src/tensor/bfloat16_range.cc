#include "tensor/bfloat16_range.h"

#include <algorithm>

#include "base/target_clones.h"

namespace rebasin {
namespace {

// The smallest magnitude less one, so that zeros wrap to the largest number.
REBASIN_TARGET_CLONES("avx2", "default")
uint16_t SmallestLessOne(const BF16* values, size_t count) {
  uint16_t smallest = 0xFFFF;
  for (size_t i = 0; i < count; ++i) {
    const auto less_one = static_cast<uint16_t>((values[i].bits & 0x7FFF) - 1);
    smallest = std::min(smallest, less_one);
  }
  return smallest;
}

}  // namespace

int SmallestExponent(const BF16* values, size_t count) {
  const uint16_t less_one = SmallestLessOne(values, count);
  return less_one == 0xFFFF ? 255 : (less_one + 1) >> 7;
}

}  // namespace rebasin
