// Derives seeds from seeds: one for each use of randomness, so that results do
// not depend on the order of uses.

#ifndef REBASIN_DATA_SEEDS_H_
#define REBASIN_DATA_SEEDS_H_

#include <cstdint>

#include "base/random.h"

namespace rebasin {

// Scatters both numbers, so that neighbouring seeds are unrelated.
inline uint64_t DeriveSeed(uint64_t seed, uint64_t index) {
  return Random(seed ^ Random(index).Next()).Next();
}

}  // namespace rebasin

#endif  // REBASIN_DATA_SEEDS_H_
