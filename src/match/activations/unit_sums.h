// What the units of a group do on a batch, each by itself: where their values
// lie, and the sums of them and of their squares.

#ifndef REBASIN_MATCH_ACTIVATIONS_UNIT_SUMS_H_
#define REBASIN_MATCH_ACTIVATIONS_UNIT_SUMS_H_

#include <cstdint>
#include <vector>

#include "match/costs/tree_costs.h"

namespace rebasin {

// Where the units of one group tree lie in a batch of one tap.
struct ActivationSite {
  size_t tap = 0;
  Slot slot = {};                   // the groups, outer first
  std::vector<int64_t> units = {};  // offset of each unit
  std::vector<int64_t> steps = {};  // of each sample, relative to the unit's
  int64_t run = 1;  // so many samples at a time lie side by side
};

// By unit of the tree.
struct UnitSums {
  std::vector<double> sum, square;
};

// Over the samples of the site in `data`. A unit that never changes has a
// square of exactly its sum's, divided by the samples, up to the rounding of
// doubles.
UnitSums SumUnits(const ActivationSite& site, const float* data);

}  // namespace rebasin

#endif  // REBASIN_MATCH_ACTIVATIONS_UNIT_SUMS_H_
