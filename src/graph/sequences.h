// Operators on sequences of arrays that remain at run time: a loop may collect
// one tensor for each step of its input.

#ifndef REBASIN_GRAPH_SEQUENCES_H_
#define REBASIN_GRAPH_SEQUENCES_H_

#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

// Whether the node produces or takes a sequence.
bool TakesSequences(const Node& node, const std::vector<const Array*>& inputs);

// The output of such a node, which may be a sequence. Null stands for an
// omitted input. Throws Error(kBadInput) if inputs contradict each other, and
// Error(kUnsupported) if a sequence becomes too long.
Array ApplyToSequences(const Node& node,
                       const std::vector<const Array*>& inputs);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_SEQUENCES_H_
