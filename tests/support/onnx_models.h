// Small ONNX models, made of the messages themselves.

#ifndef REBASIN_TESTS_SUPPORT_ONNX_MODELS_H_
#define REBASIN_TESTS_SUPPORT_ONNX_MODELS_H_

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "rebasin/tensor.h"

namespace rebasin {

class OnnxBuilder {
 public:
  explicit OnnxBuilder(int64_t opset = 17);

  // A size of -1 is left open; a name in `symbols` names it.
  void Input(const std::string& name, const Shape& shape,
             const std::vector<std::string>& symbols = {});
  void Output(const std::string& name);
  // An initializer of float32 in raw_data.
  onnx::TensorProto& Weight(const std::string& name, const Shape& shape,
                            const std::vector<float>& values);
  // An initializer without data.
  onnx::TensorProto& Tensor(const std::string& name, const Shape& shape,
                            int32_t type);
  onnx::NodeProto& Node(const std::string& op,
                        const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs);

  onnx::GraphProto& graph() { return *model.mutable_graph(); }
  std::string Bytes() const { return model.SerializeAsString(); }

  onnx::ModelProto model;
};

void SetInt(onnx::NodeProto& node, const std::string& name, int64_t value);
void SetInts(onnx::NodeProto& node, const std::string& name,
             const std::vector<int64_t>& values);
void SetFloat(onnx::NodeProto& node, const std::string& name, float value);
void SetString(onnx::NodeProto& node, const std::string& name,
               const std::string& value);
void SetExternal(onnx::TensorProto& tensor, const std::string& key,
                 const std::string& value);

// Values 1, 2, 3, ...
std::vector<float> Counting(int64_t size);

// input [batch, 3] -> fc1 (5) -> Relu -> fc2 (2) -> output.
OnnxBuilder SmallMlp();

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_ONNX_MODELS_H_
