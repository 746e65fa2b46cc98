// Statistics of single units on a batch: their positions in it, and the sums of
// their values and squares.

#ifndef REBASIN_MATCH_ACTIVATIONS_UNIT_SUMS_H_
#define REBASIN_MATCH_ACTIVATIONS_UNIT_SUMS_H_

#include <cstdint>
#include <vector>

#include "match/costs/tree_costs.h"

namespace rebasin {

// The positions of the units of one group tree in a batch of one tap.
struct ActivationSite {
  size_t tap = 0;
  Slot slot = {};                   // the groups, outer first
  std::vector<int64_t> units = {};  // offset of each unit
  std::vector<int64_t> steps = {};  // of each sample, relative to the unit's
  int64_t run = 1;                  // number of consecutive samples in memory
};

// One entry for each unit of the tree.
struct UnitSums {
  std::vector<double> sum, square;
};

// Sums over the samples of the site in `data`. For a constant unit, the sum of
// squares equals the squared sum divided by the number of samples, up to
// rounding of doubles.
UnitSums SumUnits(const ActivationSite& site, const float* data);

}  // namespace rebasin

#endif  // REBASIN_MATCH_ACTIVATIONS_UNIT_SUMS_H_
