// Seeds made of seeds: one number for each place where chance is needed, so
// that it never matters who asks first.

#ifndef REBASIN_DATA_SEEDS_H_
#define REBASIN_DATA_SEEDS_H_

#include <cstdint>

#include "base/random.h"

namespace rebasin {

// Both numbers are scattered, so that neighbours have nothing in common.
inline uint64_t DeriveSeed(uint64_t seed, uint64_t index) {
  return Random(seed ^ Random(index).Next()).Next();
}

}  // namespace rebasin

#endif  // REBASIN_DATA_SEEDS_H_
