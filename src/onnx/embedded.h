// Tensors that lie elsewhere than among the initializers of a model: those of
// the bodies of If, Loop and Scan, and the values of Constant nodes.

#ifndef REBASIN_ONNX_EMBEDDED_H_
#define REBASIN_ONNX_EMBEDDED_H_

#include <string>
#include <vector>

#include "onnx/proto.h"

namespace rebasin {

struct EmbeddedTensor {
  onnx::TensorProto* proto;  // where it lies in the model
  // That of the value it is, with the way to it in front where that is taken:
  // branches may use the same names for different things.
  std::string name;
  std::string value;  // the value's own name
  bool is_constant_node = false;
};

// All of floating types with more than one element, in the order of the file.
// Throws Error(kLimit) if there are more than a model can have tensors;
// `source` is the printable name of the file.
std::vector<EmbeddedTensor> FindEmbedded(onnx::GraphProto& graph,
                                         const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_ONNX_EMBEDDED_H_
