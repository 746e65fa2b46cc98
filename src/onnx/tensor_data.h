// Converts a TensorProto to a Tensor, for all ways of storing the elements.

#ifndef REBASIN_ONNX_TENSOR_DATA_H_
#define REBASIN_ONNX_TENSOR_DATA_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onnx/external_files.h"
#include "onnx/proto.h"
#include "rebasin/graph.h"
#include "rebasin/tensor.h"

namespace rebasin {

struct TensorSource {
  std::string file;                               // printable name
  std::shared_ptr<const onnx::ModelProto> model;  // keeps tensors alive
  ExternalFiles& external;
  std::vector<std::string>& warnings;
};

// Reads a tensor that belongs to source.model. Elements are not copied if they
// are stored in the layout of a Tensor. Throws Error(kBadInput) for
// contradictions, Error(kUnsupported) for element types other than numbers and
// booleans of whole bytes, and Error(kLimit) for rank and name.
Tensor ReadTensor(const onnx::TensorProto& tensor, const TensorSource& source);

// The tensor as an array of a graph. Requires a tensor from ReadTensor.
Array ToArray(const Tensor& tensor);

// The kind of an ONNX element type; nothing for types that ReadTensor rejects.
std::optional<Kind> KindOfType(int32_t data_type);
Kind KindOf(DType dtype);

}  // namespace rebasin

#endif  // REBASIN_ONNX_TENSOR_DATA_H_
