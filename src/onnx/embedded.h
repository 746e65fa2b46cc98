// Finds tensors that are not initializers of a model's graph: those of the
// bodies of If, Loop and Scan, and the values of Constant nodes.

#ifndef REBASIN_ONNX_EMBEDDED_H_
#define REBASIN_ONNX_EMBEDDED_H_

#include <string>
#include <vector>

#include "onnx/proto.h"

namespace rebasin {

struct EmbeddedTensor {
  onnx::TensorProto* proto;  // its message in the model
  // The name of the value that it defines. If that name is taken, the path of
  // nodes to it is prepended, since branches may use one name for different
  // tensors.
  std::string name;
  std::string value;  // the value's own name
  bool is_constant_node = false;
};

// Returns all tensors of floating types with more than one element, in the
// order of the file. Throws Error(kLimit) if a model cannot have so many
// tensors; `source` is the printable name of the file.
std::vector<EmbeddedTensor> FindEmbedded(onnx::GraphProto& graph,
                                         const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_ONNX_EMBEDDED_H_
