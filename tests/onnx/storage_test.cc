// Initializers and constants in each form that the format has for them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/onnx.h"
#include "support/onnx_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using onnx::TensorProto;
using ::testing::ElementsAre;

OnnxModel Read(const OnnxBuilder& builder) {
  const TempDir dir;
  return ReadOnnx(dir.Write("m.onnx", builder.Bytes()));
}

// The elements of the constant of that name.
std::vector<double> ConstantOf(const OnnxModel& model, const char* name) {
  for (const Value& value : model.graph.values()) {
    if (value.name == name && value.role == Role::kConstant) {
      return value.constant.values();
    }
  }
  return {-999};
}

std::vector<float> WeightOf(const OnnxModel& model, const char* name) {
  const Tensor* tensor = model.weights.Find(name);
  if (tensor == nullptr) return {-999};
  std::vector<float> values(static_cast<size_t>(tensor->size()));
  ReadFloats(*tensor, 0, values);
  return values;
}

TEST(OnnxStorage, FloatsInFloatData) {
  OnnxBuilder builder;
  auto& tensor = builder.Tensor("w", {2}, TensorProto::FLOAT);
  tensor.add_float_data(1.5);
  tensor.add_float_data(-2);
  EXPECT_THAT(WeightOf(Read(builder), "w"), ElementsAre(1.5, -2));
}

TEST(OnnxStorage, DoublesInDoubleData) {
  OnnxBuilder builder;
  auto& tensor = builder.Tensor("w", {2}, TensorProto::DOUBLE);
  tensor.add_double_data(1.5);
  tensor.add_double_data(-2);
  EXPECT_THAT(WeightOf(Read(builder), "w"), ElementsAre(1.5, -2));
}

TEST(OnnxStorage, HalvesAsBitsInInt32Data) {
  OnnxBuilder builder;
  builder.Tensor("h", {1}, TensorProto::FLOAT16).add_int32_data(0x3e00);
  builder.Tensor("b", {1}, TensorProto::BFLOAT16).add_int32_data(0x3fc0);
  const OnnxModel model = Read(builder);
  EXPECT_THAT(WeightOf(model, "h"), ElementsAre(1.5));
  EXPECT_THAT(WeightOf(model, "b"), ElementsAre(1.5));
  EXPECT_EQ(model.weights.Find("b")->dtype, DType::kBF16);
}

TEST(OnnxStorage, SmallIntegersInInt32Data) {
  OnnxBuilder builder;
  const auto add = [&](const char* name, int32_t type, int32_t value) {
    builder.Tensor(name, {1}, type).add_int32_data(value);
  };
  add("i8", TensorProto::INT8, -100);
  add("u8", TensorProto::UINT8, 200);
  add("i16", TensorProto::INT16, -30000);
  add("u16", TensorProto::UINT16, 60000);
  add("i32", TensorProto::INT32, -2000000);
  add("bool", TensorProto::BOOL, 1);
  const OnnxModel model = Read(builder);
  EXPECT_THAT(ConstantOf(model, "i8"), ElementsAre(-100));
  EXPECT_THAT(ConstantOf(model, "u8"), ElementsAre(200));
  EXPECT_THAT(ConstantOf(model, "i16"), ElementsAre(-30000));
  EXPECT_THAT(ConstantOf(model, "u16"), ElementsAre(60000));
  EXPECT_THAT(ConstantOf(model, "i32"), ElementsAre(-2000000));
  EXPECT_THAT(ConstantOf(model, "bool"), ElementsAre(1));
  EXPECT_TRUE(model.weights.tensors().empty());
}

TEST(OnnxStorage, LargeIntegersInTheirOwnFields) {
  OnnxBuilder builder;
  builder.Tensor("i64", {1}, TensorProto::INT64)
      .add_int64_data(-(int64_t{1} << 40));
  builder.Tensor("u32", {1}, TensorProto::UINT32).add_uint64_data(4000000000);
  builder.Tensor("u64", {1}, TensorProto::UINT64)
      .add_uint64_data(uint64_t{1} << 63);
  const OnnxModel model = Read(builder);
  EXPECT_THAT(ConstantOf(model, "i64"), ElementsAre(-0x1p40));
  EXPECT_THAT(ConstantOf(model, "u32"), ElementsAre(4e9));
  EXPECT_THAT(ConstantOf(model, "u64"), ElementsAre(0x1p63));
}

TEST(OnnxStorage, RawDataOfAnyType) {
  OnnxBuilder builder;
  builder.Tensor("i64", {1}, TensorProto::INT64)
      .set_raw_data(std::string("\x05\0\0\0\0\0\0\0", 8));
  builder.Tensor("bool", {2}, TensorProto::BOOL)
      .set_raw_data(std::string("\x07\0", 2));
  builder.Tensor("h", {1}, TensorProto::FLOAT16)
      .set_raw_data(std::string("\x00\x3e", 2));
  const OnnxModel model = Read(builder);
  EXPECT_THAT(ConstantOf(model, "i64"), ElementsAre(5));
  EXPECT_THAT(ConstantOf(model, "bool"), ElementsAre(1, 0));
  EXPECT_THAT(WeightOf(model, "h"), ElementsAre(1.5));
}

TEST(OnnxStorage, TensorsWithoutElements) {
  OnnxBuilder builder;
  builder.Tensor("none", {0, 3}, TensorProto::FLOAT);
  EXPECT_THAT(Read(builder).weights.Find("none")->shape, ElementsAre(0, 3));
}

TEST(OnnxConstant, HasEachOfItsForms) {
  OnnxBuilder builder;
  SetFloat(builder.Node("Constant", {}, {"float"}), "value_float", 1.5);
  SetInt(builder.Node("Constant", {}, {"int"}), "value_int", -7);
  SetInts(builder.Node("Constant", {}, {"ints"}), "value_ints", {4, 5});
  SetInts(builder.Node("Constant", {}, {"none"}), "value_ints", {});
  auto& floats = *builder.Node("Constant", {}, {"floats"}).add_attribute();
  floats.set_name("value_floats");
  floats.set_type(onnx::AttributeProto::FLOATS);
  floats.add_floats(2.5);
  auto& tensor = *builder.Node("Constant", {}, {"tensor"}).add_attribute();
  tensor.set_name("value");
  tensor.set_type(onnx::AttributeProto::TENSOR);
  tensor.mutable_t()->set_data_type(TensorProto::FLOAT);
  tensor.mutable_t()->add_float_data(3);
  const OnnxModel model = Read(builder);
  EXPECT_THAT(ConstantOf(model, "float"), ElementsAre(1.5));
  EXPECT_THAT(ConstantOf(model, "int"), ElementsAre(-7));
  EXPECT_THAT(ConstantOf(model, "ints"), ElementsAre(4, 5));
  EXPECT_THAT(ConstantOf(model, "none"), ElementsAre());
  EXPECT_THAT(ConstantOf(model, "floats"), ElementsAre(2.5));
  EXPECT_THAT(ConstantOf(model, "tensor"), ElementsAre(3));
  EXPECT_TRUE(model.graph.nodes().empty());
}

}  // namespace
}  // namespace rebasin
