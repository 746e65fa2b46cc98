// TensorProto to Tensor, whichever way the numbers are stored.

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
  std::string file;                               // its printable name
  std::shared_ptr<const onnx::ModelProto> model;  // keeps tensors alive
  ExternalFiles& external;
  std::vector<std::string>& warnings;
};

// Reads a tensor that belongs to source.model. Where the numbers lie as a
// Tensor wants them, they are not copied. Throws Error(kBadInput) for what
// contradicts itself, Error(kUnsupported) for element types that are neither
// numbers nor booleans of whole bytes, Error(kLimit) for rank and name.
Tensor ReadTensor(const onnx::TensorProto& tensor, const TensorSource& source);

// The elements as a graph holds them. Requires a tensor from ReadTensor.
Array ToArray(const Tensor& tensor);

// What the elements of an ONNX type are to a graph; nothing for types that
// ReadTensor refuses.
std::optional<Kind> KindOfType(int32_t data_type);
Kind KindOf(DType dtype);

}  // namespace rebasin

#endif  // REBASIN_ONNX_TENSOR_DATA_H_
