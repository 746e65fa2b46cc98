// Runs a Loop whose number of iterations is known only at run time.

#ifndef REBASIN_GRAPH_LOOP_H_
#define REBASIN_GRAPH_LOOP_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// Runs a loop body on its inputs.
using BodyRunner = std::function<std::vector<Array>(const Graph& body,
                                                    std::span<const Array>)>;

// Returns one array for each output of the Loop. `inputs` are those of the
// node; omitted ones are empty. Throws Error(kBadInput) if they contradict each
// other.
std::vector<Array> RunLoop(const Node& node, std::vector<Array> inputs,
                           const BodyRunner& run);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_LOOP_H_
