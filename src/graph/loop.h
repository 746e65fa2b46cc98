// A Loop whose number of trips is known only when the graph is run.

#ifndef REBASIN_GRAPH_LOOP_H_
#define REBASIN_GRAPH_LOOP_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// Runs a body on its inputs.
using BodyRunner = std::function<std::vector<Array>(const Graph& body,
                                                    std::span<const Array>)>;

// One array for each output of the Loop. `inputs`: of the node, those left out
// empty. Throws Error(kBadInput) if they contradict each other.
std::vector<Array> RunLoop(const Node& node, std::vector<Array> inputs,
                           const BodyRunner& run);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_LOOP_H_
