// Models whose weights, or whose graph, are in memory instead of files.

#include <gtest/gtest.h>

#include "onnx/onnx.h"
#include "rebasin/align.h"
#include "rebasin/model.h"
#include "support/expect_error.h"
#include "support/onnx_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

GraphInMemory GraphOf(const OnnxBuilder& builder) {
  return {.name = "the traced graph",
          .onnx = std::make_shared<const std::string>(builder.Bytes())};
}

// SmallMlp with parameters as inputs, as exporters write it without weights.
OnnxBuilder WithoutWeights() {
  OnnxBuilder builder = SmallMlp();
  builder.graph().clear_initializer();
  builder.Input("fc1.weight", {5, 3});
  builder.Input("fc1.bias", {5});
  builder.Input("fc2.weight", {2, 5});
  builder.Input("fc2.bias", {2});
  return builder;
}

Checkpoint SmallWeights() {
  return ReadOnnxBytes(SmallMlp().Bytes(), "m").weights;
}

TEST(OpenInputs, GivesWeightsInMemoryWhatTheSameFileGets) {
  const TempDir dir;
  const Checkpoint weights = SmallWeights();
  SaveModel(weights, dir / "m.safetensors");
  const Model from_file = OpenModel(dir / "m.safetensors");
  const ModelInput input{.weights = weights, .name = "B"};
  const Model model = OpenInputs({&input, 1}).front();
  EXPECT_EQ(model.structure.name, from_file.structure.name);
  EXPECT_EQ(model.symmetry()->ToJson(), from_file.symmetry()->ToJson());
  EXPECT_EQ(model.weights.tensors()[0].bytes.data(),
            weights.tensors()[0].bytes.data());
  EXPECT_EQ(model.name, "B");
  EXPECT_TRUE(model.file.empty());
}

TEST(OpenInputs, TakesFilesAndWeightsInMemoryTogether) {
  const TempDir dir;
  const Checkpoint weights = SmallWeights();
  SaveModel(weights, dir / "m.safetensors");
  const std::vector<ModelInput> inputs = {{.file = dir / "m.safetensors"},
                                          {.weights = weights, .name = "B"}};
  const std::vector<Model> models = OpenInputs(inputs);
  EXPECT_TRUE(Align(models[0], models[1]).report.already_aligned);
}

TEST(OpenInputs, NamesWeightsInMemoryInErrors) {
  const Checkpoint weights = SmallWeights();
  const std::vector<ModelInput> inputs = {
      {.weights = weights, .name = "A"},
      {.weights = Checkpoint(), .name = "the second state dict"}};
  ExpectError(ErrorCode::kMismatch, {"the second state dict", "no tensors"},
              [&] { OpenInputs(inputs); });
}

TEST(OpenInputs, DoesNotTakeANameForAFile) {
  const TempDir dir;
  const auto path = dir.Write("m.onnx", SmallMlp().Bytes());
  const ModelInput input{.weights = SmallWeights(), .name = path.native()};
  const Model model = OpenInputs({&input, 1}).front();
  EXPECT_EQ(model.structure.origin, Structure::Origin::kArchitecture);
  EXPECT_TRUE(model.onnx_file.empty());
}

TEST(OpenInputs, UsesAGraphInMemoryLikeOneOfAFile) {
  const TempDir dir;
  const auto path = dir.Write("m.onnx", WithoutWeights().Bytes());
  const ModelInput input{.weights = SmallWeights(), .name = "A"};
  const Model by_file =
      OpenInputs({&input, 1}, {.structure = {.model = path.native()}}).front();
  const Model by_bytes =
      OpenInputs({&input, 1},
                 {.structure = {.graph = GraphOf(WithoutWeights())}})
          .front();
  EXPECT_EQ(by_bytes.symmetry()->groups().size(), 1);
  EXPECT_EQ(by_bytes.symmetry()->ToJson(), by_file.symmetry()->ToJson());
  EXPECT_EQ(by_bytes.structure.name, "the traced graph");
  EXPECT_TRUE(
      Prove(by_bytes, Alignment::Random(by_bytes.symmetry(), 1)).has_value());
}

TEST(DescribeStructure, TakesAGraphInMemory) {
  const Structure structure = DescribeStructure({.graph = GraphOf(SmallMlp())});
  EXPECT_EQ(structure.symmetry->groups().size(), 1);
}

TEST(ReadOnnxBytes, RefusesDataInOtherFiles) {
  OnnxBuilder builder = SmallMlp();
  auto& weight = *builder.graph().mutable_initializer(0);
  weight.clear_raw_data();
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  SetExternal(weight, "location", "/etc/passwd");
  ExpectError(ErrorCode::kUnsupported, {"the traced graph"},
              [&] { DescribeStructure({.graph = GraphOf(builder)}); });
}

TEST(ReadOnnxBytes, RefusesWhatIsNoModel) {
  ExpectError(ErrorCode::kBadInput, {"\"mine\""},
              [] { ReadOnnxBytes("no model", "mine"); });
  ExpectError(ErrorCode::kBadInput, {"\"mine\"", "empty"},
              [] { ReadOnnxBytes("", "mine"); });
}

}  // namespace
}  // namespace rebasin
