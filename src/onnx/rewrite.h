// Converts older forms of operators to those of opset 18, which graphs use (see
// rebasin/graph.h).

#ifndef REBASIN_ONNX_REWRITE_H_
#define REBASIN_ONNX_REWRITE_H_

#include <cstdint>

#include "onnx/graph_parts.h"
#include "rebasin/graph.h"

namespace rebasin {

// Rewrites a node written for `opset`. Its outputs must exist. Further nodes
// that it needs are added to `parts`.
void RewriteNode(Node& node, int64_t opset, GraphParts& parts);

// Throws Error(kUnsupported) if a BatchNormalization or Dropout is in training
// mode.
void RefuseTrainingMode(const GraphParts& parts);

// Before opset 13, Softmax, LogSoftmax and Hardmax flattened their input to a
// matrix and worked on its rows. Where this differs from working on the last
// axis, replaces the node by Flatten, Softmax and Reshape. This requires ranks,
// and hence all nodes.
void RewriteFlatteningSoftmaxes(int64_t opset, GraphParts& parts);

}  // namespace rebasin

#endif  // REBASIN_ONNX_REWRITE_H_
