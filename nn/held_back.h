// Data in two: what is trained on, and what judges.

#ifndef REBASIN_NN_HELD_BACK_H_
#define REBASIN_NN_HELD_BACK_H_

#include <cstdint>

#include "rebasin/data.h"

namespace rebasin::nn {

struct HeldBack {
  Dataset train;
  Dataset judge;
  int64_t batch_size = 0;  // that the judge's examples are to be run in
};

// Draws `count` examples to judge by, chosen by the seed alone; 0: a tenth, at
// most 5,000. With `full_batches`, as many of them as make batches of one size,
// at most 250: where BatchNorm looks at whole batches, a small one would count
// for too much. Throws Error(kUsage) if nothing is left to train on,
// Error(kMismatch) if there is not enough for both.
HeldBack HoldBack(const Dataset& data, int64_t count, bool full_batches,
                  uint64_t seed);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_HELD_BACK_H_
