// Older forms of operators, put into the one dialect of graphs: what opset 18
// says (see rebasin/graph.h).

#ifndef REBASIN_ONNX_REWRITE_H_
#define REBASIN_ONNX_REWRITE_H_

#include <cstdint>

#include "onnx/graph_parts.h"
#include "rebasin/graph.h"

namespace rebasin {

// Rewrites a node that was written for `opset`, whose outputs exist. Nodes
// that need others before or after them put those into `parts`.
void RewriteNode(Node& node, int64_t opset, GraphParts& parts);

// Before opset 13, Softmax, LogSoftmax and Hardmax flattened their input to a
// matrix and worked on its rows. Where that is not the same as working on the
// last axis, this makes Flatten, Softmax and Reshape of them. Ranks are needed
// for that, and hence all nodes.
void RewriteFlatteningSoftmaxes(int64_t opset, GraphParts& parts);

}  // namespace rebasin

#endif  // REBASIN_ONNX_REWRITE_H_
