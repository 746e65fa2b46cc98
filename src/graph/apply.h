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

// Throws Error(kUnsupported) if the type of an output that the node has is not
// known, or if it is too large for memory.
void CheckRunnable(const OpContext& context, std::span<const ValueType> types);

// At least one array for each output of the node, of the types that
// InferOutputs gave. Throws as CheckRunnable does.
std::vector<Array> EvaluateOutputs(const Operator& op, const OpContext& context,
                                   std::span<const ValueType> types);

// Runs an operator on arrays (null: left out). At least one array for each
// output of the node. Throws as the functions above do.
std::vector<Array> ApplyOperator(const Operator& op, const Node& node,
                                 const std::vector<const Array*>& inputs);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_APPLY_H_
