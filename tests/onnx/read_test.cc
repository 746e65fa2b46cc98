#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "onnx/onnx.h"
#include "onnx/sha1.h"
#include "support/bad_input.h"
#include "support/expect_error.h"
#include "support/expect_row.h"
#include "support/onnx_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OnnxFile : public ::testing::TestWithParam<InputRow> {};

TEST_P(OnnxFile, IsReadOrRefusedAsStated) {
  const InputRow& row = GetParam();
  const TempDir dir;
  const auto path = dir.Write("m.onnx", row.make());
  ExpectAsStated(row, path.native(), [&] { ReadOnnx(path); });
  EXPECT_THAT(dir.Files(), ElementsAre("m.onnx"));
}

std::string RowName(const ::testing::TestParamInfo<InputRow>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Rows, OnnxFile, ::testing::ValuesIn(OnnxRows()),
                         RowName);

TEST(Onnx, O03_FilesOfTwoGibibytesAreRefusedWithAHint) {
  const TempDir dir;
  const auto path = dir.Write("m.onnx", SmallMlp().Bytes());
  std::filesystem::resize_file(path, uintmax_t{1} << 31);
  ExpectError(ErrorCode::kUnsupported, {"2 GiB", "external data"},
              [&] { ReadOnnx(path); });
}

TEST(Onnx, GivesGraphAndWeights) {
  const TempDir dir;
  const OnnxModel model = ReadOnnx(dir.Write("m.onnx", SmallMlp().Bytes()));
  EXPECT_THAT(model.warnings, ElementsAre());
  ASSERT_EQ(model.graph.nodes().size(), 3);
  EXPECT_EQ(model.graph.nodes()[0].op, "Gemm");
  EXPECT_EQ(model.graph.weights().size(), 4);
  ASSERT_EQ(model.weights.tensors().size(), 4);
  const Tensor& weight = *model.weights.Find("fc1.weight");
  EXPECT_THAT(weight.shape, ElementsAre(5, 3));
  EXPECT_EQ(FloatsInPlace(weight)[14], 15);
  const Value& input = model.graph.values()[model.graph.inputs()[0]];
  EXPECT_THAT(input.shape, ElementsAre(kOpenSize, 3));
  EXPECT_THAT(input.symbols, ElementsAre("batch", ""));
}

TEST(Onnx, WeightsOutliveTheModel) {
  const TempDir dir;
  const auto path = dir.Write("m.onnx", SmallMlp().Bytes());
  const Checkpoint weights = ReadOnnxWeights(path);
  EXPECT_EQ(FloatsInPlace(*weights.Find("fc2.weight"))[9], 10);
  EXPECT_NO_THROW(weights.CheckUnchanged());
  std::filesystem::resize_file(path, 10);
  EXPECT_THROW(weights.CheckUnchanged(), Error);
}

TEST(Onnx, WeightsAreReadEvenIfTheGraphMakesNoSense) {
  OnnxBuilder builder = SmallMlp();
  builder.graph().mutable_node(0)->set_input(0, "output");
  const TempDir dir;
  const auto path = dir.Write("m.onnx", builder.Bytes());
  EXPECT_THROW(ReadOnnx(path), Error);
  EXPECT_EQ(ReadOnnxWeights(path).tensors().size(), 4);
}

TEST(Onnx, UnknownOpsetsAreReadWithAWarning) {
  const TempDir dir;
  OnnxBuilder builder = SmallMlp();
  builder.model.mutable_opset_import(0)->set_version(40);
  const OnnxModel model = ReadOnnx(dir.Write("m.onnx", builder.Bytes()));
  EXPECT_THAT(model.warnings, ElementsAre(HasSubstr("treated as opset 18")));
}

TEST(IsOnnx, GoesByContent) {
  const TempDir dir;
  const std::string model = SmallMlp().Bytes();
  EXPECT_TRUE(IsOnnx(dir.Write("a.bin", model)));
  EXPECT_TRUE(IsOnnx(dir.Write("cut", model.substr(0, model.size() / 2))));
  EXPECT_FALSE(IsOnnx(dir.Write("b.onnx", "")));
  EXPECT_FALSE(IsOnnx(dir.Write("c.onnx", File("{}"))));
  EXPECT_FALSE(IsOnnx(dir.Write("d.onnx", "{\"weight_map\": {}}")));
  EXPECT_FALSE(IsOnnx(dir.Write("e.onnx", "\x08\x08")));
  EXPECT_FALSE(IsOnnx(dir.path()));
  EXPECT_FALSE(IsOnnx(dir / "absent"));
}

TEST(Sha1, MatchesPublishedExamples) {
  const auto sum = [](const std::string& text) {
    return Sha1(std::as_bytes(std::span(text)));
  };
  EXPECT_EQ(sum(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sum("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

}  // namespace
}  // namespace rebasin
