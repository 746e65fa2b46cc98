// Applies an operator to what is known of its inputs, with the checks that all
// operators need.

#ifndef REBASIN_GRAPH_APPLY_H_
#define REBASIN_GRAPH_APPLY_H_

#include <span>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

// At least one type for each output of the node. Throws Error(kBadInput) where
// inputs contradict each other, or an output is too large to be counted.
std::vector<ValueType> InferOutputs(const Operator& op,
                                    const OpContext& context);

// At least one array for each output of the node, of the types that
// InferOutputs gave. Throws Error(kUnsupported) if a type is not known, or if
// an output is too large for memory.
std::vector<Array> EvaluateOutputs(const Operator& op, const OpContext& context,
                                   std::span<const ValueType> types);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_APPLY_H_
