// Random inputs that a graph can take.

#ifndef REBASIN_VERIFY_RANDOM_INPUTS_H_
#define REBASIN_VERIFY_RANDOM_INPUTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

// Standard normal numbers; integers that are indices wherever they are used as
// such, small ones otherwise; booleans that are all true (masks that hide
// nothing).
std::vector<Array> RandomInputs(const Graph& graph, const Inference& inference,
                                std::span<const Shape> shapes, uint64_t seed);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_RANDOM_INPUTS_H_
