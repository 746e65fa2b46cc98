// Sequences of arrays, where they are still there when a graph runs: a loop
// collects as many tensors as an input is long.

#ifndef REBASIN_GRAPH_SEQUENCES_H_
#define REBASIN_GRAPH_SEQUENCES_H_

#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// Whether the node makes or takes a sequence.
bool TakesSequences(const Node& node, const std::vector<const Array*>& inputs);

// The output of such a node, which may be a sequence. `inputs`: null where one
// is left out. Throws Error(kBadInput) where inputs contradict each other, and
// Error(kUnsupported) for sequences that are too long.
Array ApplyToSequences(const Node& node,
                       const std::vector<const Array*>& inputs);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_SEQUENCES_H_
