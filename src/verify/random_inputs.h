// Random inputs that are valid for a graph.

#ifndef REBASIN_VERIFY_RANDOM_INPUTS_H_
#define REBASIN_VERIFY_RANDOM_INPUTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

// Floats are standard normal. Integers are valid indices where they are used as
// indices, and small numbers elsewhere. Booleans are all true, since masks of
// true values hide nothing.
std::vector<Array> RandomInputs(const Graph& graph, const Inference& inference,
                                std::span<const Shape> shapes, uint64_t seed);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_RANDOM_INPUTS_H_
