#include "support/onnx_models.h"

#include <numeric>

namespace rebasin {
namespace {

onnx::AttributeProto& Add(onnx::NodeProto& node, const std::string& name,
                          onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

}  // namespace

OnnxBuilder::OnnxBuilder(int64_t opset) {
  model.set_ir_version(8);
  model.set_producer_name("test");
  model.add_opset_import()->set_version(opset);
  graph().set_name("graph");
}

void OnnxBuilder::Input(const std::string& name, const Shape& shape,
                        const std::vector<std::string>& symbols) {
  auto& input = *graph().add_input();
  input.set_name(name);
  auto& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape();
  for (size_t i = 0; i < shape.size(); ++i) {
    auto& dim = *type.mutable_shape()->add_dim();
    if (shape[i] >= 0) dim.set_dim_value(shape[i]);
    if (i < symbols.size() && !symbols[i].empty()) {
      dim.set_dim_param(symbols[i]);
    }
  }
}

void OnnxBuilder::Output(const std::string& name) {
  graph().add_output()->set_name(name);
}

onnx::TensorProto& OnnxBuilder::Tensor(const std::string& name,
                                       const Shape& shape, int32_t type) {
  onnx::TensorProto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (int64_t size : shape) tensor.add_dims(size);
  return tensor;
}

onnx::TensorProto& OnnxBuilder::Weight(const std::string& name,
                                       const Shape& shape,
                                       const std::vector<float>& values) {
  onnx::TensorProto& tensor = Tensor(name, shape, onnx::TensorProto::FLOAT);
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  return tensor;
}

onnx::NodeProto& OnnxBuilder::Node(const std::string& op,
                                   const std::vector<std::string>& inputs,
                                   const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = *graph().add_node();
  node.set_op_type(op);
  node.set_name(op + "_" + std::to_string(graph().node_size()));
  for (const auto& input : inputs) node.add_input(input);
  for (const auto& output : outputs) node.add_output(output);
  return node;
}

void SetInt(onnx::NodeProto& node, const std::string& name, int64_t value) {
  Add(node, name, onnx::AttributeProto::INT).set_i(value);
}

void SetInts(onnx::NodeProto& node, const std::string& name,
             const std::vector<int64_t>& values) {
  auto& attribute = Add(node, name, onnx::AttributeProto::INTS);
  for (int64_t value : values) attribute.add_ints(value);
}

void SetFloat(onnx::NodeProto& node, const std::string& name, float value) {
  Add(node, name, onnx::AttributeProto::FLOAT).set_f(value);
}

void SetString(onnx::NodeProto& node, const std::string& name,
               const std::string& value) {
  Add(node, name, onnx::AttributeProto::STRING).set_s(value);
}

void SetExternal(onnx::TensorProto& tensor, const std::string& key,
                 const std::string& value) {
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

std::vector<float> Counting(int64_t size) {
  std::vector<float> values(static_cast<size_t>(size));
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

OnnxBuilder SmallMlp() {
  OnnxBuilder builder;
  builder.Input("input", {-1, 3}, {"batch"});
  builder.Weight("fc1.weight", {5, 3}, Counting(15));
  builder.Weight("fc1.bias", {5}, Counting(5));
  builder.Weight("fc2.weight", {2, 5}, Counting(10));
  builder.Weight("fc2.bias", {2}, Counting(2));
  SetInt(builder.Node("Gemm", {"input", "fc1.weight", "fc1.bias"}, {"h"}),
         "transB", 1);
  builder.Node("Relu", {"h"}, {"r"});
  SetInt(builder.Node("Gemm", {"r", "fc2.weight", "fc2.bias"}, {"output"}),
         "transB", 1);
  builder.Output("output");
  return builder;
}

}  // namespace rebasin
