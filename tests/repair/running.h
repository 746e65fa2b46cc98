// Networks run up to one of their values.

#ifndef REBASIN_TESTS_REPAIR_RUNNING_H_
#define REBASIN_TESTS_REPAIR_RUNNING_H_

#include <cstdint>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/repair.h"

namespace rebasin::testing {

// What `value` is on small random inputs, the same for the same seed.
Array RunTo(const Graph& graph, const Checkpoint& model, ValueId value,
            uint64_t seed);

// Random scales, and shifts where the site has them.
Correction RandomCorrection(const RepairSite& site, uint64_t seed);

// Applies a random correction at the site to random weights, runs the network
// before and after, and expects the site's value to have changed in exactly
// that way.
void ExpectCorrected(const Graph& graph, const RepairSite& site, uint64_t seed);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_REPAIR_RUNNING_H_
