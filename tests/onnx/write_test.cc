#include "onnx/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "onnx/onnx.h"
#include "support/expect_error.h"
#include "support/onnx_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// The weights of a model, all of them negated.
Checkpoint Negated(const Checkpoint& weights) {
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : weights.tensors()) {
    std::vector<float> values(static_cast<size_t>(tensor.size()));
    ReadFloats(tensor, 0, values);
    for (float& value : values) value = -value;
    tensors.push_back(
        MakeTensor(tensor.name, tensor.shape, values, tensor.dtype));
  }
  return Checkpoint(std::move(tensors));
}

void ExpectSame(const Checkpoint& a, const Checkpoint& b) {
  ASSERT_EQ(a.tensors().size(), b.tensors().size());
  for (size_t i = 0; i < a.tensors().size(); ++i) {
    EXPECT_EQ(a.tensors()[i].name, b.tensors()[i].name);
    EXPECT_THAT(a.tensors()[i].bytes, ElementsAreArray(b.tensors()[i].bytes));
  }
}

class WritingOnnx : public ::testing::Test {
 protected:
  WritingOnnx() : from_(dir_.Write("m.onnx", SmallMlp().Bytes())) {}

  TempDir dir_;
  fs::path from_;
};

TEST_F(WritingOnnx, ReplacesTheWeightsAndNothingElse) {
  const Checkpoint weights = Negated(ReadOnnxWeights(from_));
  WriteOnnx(from_, weights, dir_ / "out.onnx");
  ExpectSame(ReadOnnxWeights(dir_ / "out.onnx"), weights);
  WriteOnnx(dir_ / "out.onnx", Negated(weights), dir_ / "back.onnx");
  EXPECT_EQ(ReadAll(dir_ / "back.onnx"), ReadAll(from_));
  EXPECT_THAT(dir_.Files(), ElementsAre("back.onnx", "m.onnx", "out.onnx"));
}

TEST_F(WritingOnnx, ReplacesEachFormOfStorage) {
  OnnxBuilder builder = SmallMlp();
  builder.Tensor("f", {1}, onnx::TensorProto::FLOAT).add_float_data(1);
  builder.Tensor("d", {1}, onnx::TensorProto::DOUBLE).add_double_data(1);
  builder.Tensor("h", {1}, onnx::TensorProto::FLOAT16).add_int32_data(0x3c00);
  builder.Tensor("ids", {1}, onnx::TensorProto::INT64).add_int64_data(5);
  const auto from = dir_.Write("n.onnx", builder.Bytes());
  const Checkpoint weights = Negated(ReadOnnxWeights(from));
  WriteOnnx(from, weights, dir_ / "out.onnx");
  ExpectSame(ReadOnnxWeights(dir_ / "out.onnx"), weights);
}

TEST_F(WritingOnnx, MayReplaceTheModelItself) {
  const Checkpoint weights = Negated(ReadOnnxWeights(from_));
  ExpectError(ErrorCode::kUsage, {"already exists"},
              [&] { WriteOnnx(from_, weights, from_); });
  WriteOnnx(from_, weights, from_, {.force = true});
  ExpectSame(ReadOnnxWeights(from_), weights);
}

TEST_F(WritingOnnx, RefusesWhatDoesNotFit) {
  const std::vector<float> values = {1, 2};
  const auto write = [&](const char* name, DType dtype) {
    WriteOnnx(from_, Checkpoint({MakeTensor(name, {2}, values, dtype)}),
              dir_ / "out.onnx");
  };
  ExpectError(ErrorCode::kMismatch, {"no tensor", "nobody"},
              [&] { write("nobody", DType::kF32); });
  ExpectError(ErrorCode::kMismatch, {"fc1.bias", "[5]", "[2]"},
              [&] { write("fc1.bias", DType::kF32); });
  ExpectError(ErrorCode::kMismatch, {"fc2.bias", "F16"},
              [&] { write("fc2.bias", DType::kF16); });
  EXPECT_THAT(dir_.Files(), ElementsAre("m.onnx"));
}

TEST_F(WritingOnnx, TakesExternalDataIn) {
  OnnxBuilder builder = SmallMlp();
  auto& tensor = *builder.graph().mutable_initializer(0);
  dir_.Write("data.bin", tensor.raw_data());
  tensor.clear_raw_data();
  SetExternal(tensor, "location", "data.bin");
  const auto from = dir_.Write("n.onnx", builder.Bytes());
  WriteOnnx(from, {}, dir_ / "out.onnx");
  fs::remove(dir_ / "data.bin");
  ExpectSame(ReadOnnxWeights(dir_ / "out.onnx"), ReadOnnxWeights(from_));
}

TEST_F(WritingOnnx, PutsLargeDataIntoAFileOfItsOwn) {
  const Checkpoint weights = Negated(ReadOnnxWeights(from_));
  WriteOnnxUpTo(100, from_, weights, dir_ / "out.onnx", {}, {});
  EXPECT_THAT(dir_.Files(), ElementsAre("m.onnx", "out.onnx", "out.onnx.data"));
  ExpectSame(ReadOnnxWeights(dir_ / "out.onnx"), weights);
  // And again, over itself: its data is read while it is replaced.
  const Checkpoint back = Negated(weights);
  WriteOnnxUpTo(100, dir_ / "out.onnx", back, dir_ / "out.onnx",
                {.force = true}, {});
  ExpectSame(ReadOnnxWeights(dir_ / "out.onnx"), back);
}

TEST_F(WritingOnnx, LeavesNothingBehindWhereItCannotWrite) {
  fs::create_directory(dir_ / "out.onnx.data");
  const Checkpoint weights = Negated(ReadOnnxWeights(from_));
  EXPECT_THROW(WriteOnnxUpTo(100, from_, weights, dir_ / "out.onnx", {}, {}),
               Error);
  EXPECT_THAT(dir_.Files(), ElementsAre("m.onnx", "out.onnx.data"));
}

TEST_F(WritingOnnx, WritesToDevices) {
  EXPECT_NO_THROW(WriteOnnx(from_, ReadOnnxWeights(from_), "/dev/null"));
}

}  // namespace
}  // namespace rebasin
