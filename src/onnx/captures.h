// Finds what the bodies of If, Loop and Scan use, for bodies that do not become
// part of the graph.

#ifndef REBASIN_ONNX_CAPTURES_H_
#define REBASIN_ONNX_CAPTURES_H_

#include <string>
#include <vector>

#include "onnx/proto.h"

namespace rebasin {

struct Bodies {
  // Values of the surrounding graph, in order.
  std::vector<std::string> captured;
  // Initializers in the bodies, and the values of their Constant nodes.
  std::vector<const onnx::TensorProto*> tensors;
};

// Reads all graphs in the node's attributes, and the graphs nested in these.
Bodies ReadBodies(const onnx::NodeProto& node);

}  // namespace rebasin

#endif  // REBASIN_ONNX_CAPTURES_H_
