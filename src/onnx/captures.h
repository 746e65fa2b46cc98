// The bodies of If, Loop and Scan, that are not looked into: only what they
// use.

#ifndef REBASIN_ONNX_CAPTURES_H_
#define REBASIN_ONNX_CAPTURES_H_

#include <string>
#include <vector>

#include "onnx/proto.h"

namespace rebasin {

struct Bodies {
  std::vector<std::string> captured;  // values of the graph around, in order
  // Initializers inside, and the values of Constant nodes.
  std::vector<const onnx::TensorProto*> tensors;
};

// Of all graphs that the node has as attributes, and of those inside them.
Bodies ReadBodies(const onnx::NodeProto& node);

}  // namespace rebasin

#endif  // REBASIN_ONNX_CAPTURES_H_
