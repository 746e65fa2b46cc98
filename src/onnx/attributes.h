// AttributeProto to Attribute.

#ifndef REBASIN_ONNX_ATTRIBUTES_H_
#define REBASIN_ONNX_ATTRIBUTES_H_

#include "onnx/model_file.h"
#include "onnx/proto.h"
#include "rebasin/graph.h"

namespace rebasin {

// The attributes of a node, as far as a graph can hold them: lists of strings
// become one string with commas; graphs (see captures.h), types and lists of
// tensors are left out.
Attributes ReadAttributes(const onnx::NodeProto& node, ModelFile& file);

// The value of a Constant node, whichever of its attributes states it. Throws
// Error(kUnsupported) for strings and sparse tensors, Error(kBadInput) if
// there is none.
Array ReadConstantNode(const onnx::NodeProto& node, ModelFile& file);

}  // namespace rebasin

#endif  // REBASIN_ONNX_ATTRIBUTES_H_
