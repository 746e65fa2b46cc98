// Converts attributes of ONNX nodes to attributes of a graph.

#ifndef REBASIN_ONNX_ATTRIBUTES_H_
#define REBASIN_ONNX_ATTRIBUTES_H_

#include "onnx/model_file.h"
#include "onnx/proto.h"
#include "rebasin/graph.h"

namespace rebasin {

// The attributes of a node that a graph can hold. A list of strings becomes one
// string, separated by commas. Graphs (see captures.h), types and lists of
// tensors are omitted.
Attributes ReadAttributes(const onnx::NodeProto& node, ModelFile& file);

// The value of a Constant node, in whichever attribute it is. Throws
// Error(kUnsupported) for strings and sparse tensors, Error(kBadInput) if there
// is no value.
Array ReadConstantNode(const onnx::NodeProto& node, ModelFile& file);

}  // namespace rebasin

#endif  // REBASIN_ONNX_ATTRIBUTES_H_
