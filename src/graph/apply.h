// Applies an operator to the known properties of its inputs, with the checks
// that all operators need.

#ifndef REBASIN_GRAPH_APPLY_H_
#define REBASIN_GRAPH_APPLY_H_

#include <span>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

// Returns at least one type for each output of the node. Throws
// Error(kBadInput) if inputs contradict each other, or if an output is so large
// that its size overflows.
std::vector<ValueType> InferOutputs(const Operator& op,
                                    const OpContext& context);

// Throws Error(kUnsupported) if the type of an output that the node has is
// unknown, or if the output is too large for memory.
void CheckRunnable(const OpContext& context, std::span<const ValueType> types);

// Returns at least one array for each output of the node. `types` are those
// from InferOutputs. Throws the same errors as CheckRunnable.
std::vector<Array> EvaluateOutputs(const Operator& op, const OpContext& context,
                                   std::span<const ValueType> types);

// Runs an operator on arrays; null stands for an omitted input. Returns at
// least one array for each output of the node. Throws the same errors as the
// functions above.
std::vector<Array> ApplyOperator(const Operator& op, const Node& node,
                                 const std::vector<const Array*>& inputs);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_APPLY_H_
