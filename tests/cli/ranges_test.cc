// Numbers that leave what can be computed with, and models that do not fit what
// is asked of them.

#include <gtest/gtest.h>

#include "cli/program.h"

namespace rebasin {
namespace {

using testing::ModelFolder;
using testing::Outcome;
using testing::With;

using Args = std::vector<std::string>;

Checkpoint Scaled(const Checkpoint& model, float by) {
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : model.tensors()) {
    std::vector<float> values(static_cast<size_t>(tensor.size()));
    ReadFloats(tensor, 0, values);
    for (float& x : values) x *= by;
    tensors.push_back(MakeTensor(tensor.name, tensor.shape, values));
  }
  return Checkpoint(std::move(tensors), model.metadata());
}

// The bias of the first layer as doubles, one of them out of range.
Tensor LargeBias(const Checkpoint& model) {
  const Tensor* bias = model.Find("fc1.bias");
  const auto owner = std::make_shared<std::vector<double>>(bias->size(), 0.5);
  (*owner)[7] = 1e300;
  return {.name = bias->name,
          .dtype = DType::kF64,
          .shape = bias->shape,
          .bytes = std::as_bytes(std::span(*owner)),
          .owner = owner};
}

void ExpectBad(const ModelFolder& folder, const Args& args, const Args& says) {
  const Outcome run = folder.Run(args);
  EXPECT_EQ(run.exit_code, 3) << run.err;
  for (const std::string& text : says) EXPECT_TRUE(run.says(text)) << run.err;
  EXPECT_FALSE(run.says("NaN")) << run.err;
}

TEST(Ranges, X14_DoublesBeyondFloatAreCalledThat) {
  const ModelFolder folder;
  for (const std::string name : {"a.safetensors", "b.safetensors"}) {
    const Checkpoint model = folder.Load(name);
    folder.Save(name, With(model, LargeBias(model)));
  }
  const Args says = {"\"fc1.bias\"", "1 value exceeds float32", "1e+300",
                     "index 7"};
  ExpectBad(folder,
            {"match", "a.safetensors", "b.safetensors", "--spec", "mlp"}, says);
  ExpectBad(folder,
            {"merge", "a.safetensors", "b.safetensors", "a.safetensors",
             "--spec", "mlp", "-o", "m.safetensors"},
            says);
}

TEST(Ranges, X14_ProductsBeyondFloatAreCalledThat) {
  const ModelFolder folder;
  for (const std::string name : {"a.safetensors", "b.safetensors"}) {
    folder.Save(name, Scaled(folder.Load(name), 1e25f));
  }
  for (const char* start : {"anchored", "annealed"}) {
    ExpectBad(folder,
              {"match", "a.safetensors", "b.safetensors", "--spec", "mlp",
               "--start", start},
              {"tensor \"", "exceeds float32"});
  }
  ExpectBad(folder,
            {"merge", "a.safetensors", "b.safetensors", "a.safetensors",
             "--spec", "mlp", "-o", "m.safetensors"},
            {"tensor \"", "exceeds float32"});
}

TEST(Ranges, X15_OppositeModelsHaveNoArc) {
  const ModelFolder folder;
  folder.Save("b.safetensors", Scaled(folder.Load("a.safetensors"), -1));
  const Args args = {
      "merge",        "a.safetensors", "b.safetensors", "--align",
      "none",         "--method",      "slerp",         "-o",
      "m.safetensors"};
  const Outcome run = folder.Run(args);
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_TRUE(run.says("opposite")) << run.err;
  EXPECT_TRUE(run.says("--interpolation linear")) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "m.safetensors"));
}

TEST(Ranges, X15_ABaseOfOtherShapesIsNoBase) {
  const ModelFolder folder;
  const Checkpoint a = folder.Load("a.safetensors");
  folder.Save("base.safetensors",
              With(a, MakeTensor("fc1.bias", {3}, std::vector<float>(3))));
  const auto merge = [&](const std::string& base) {
    return folder.Run({"merge", "a.safetensors", "b.safetensors", "--align",
                       "none", "--base", base, "-o", "m.safetensors"});
  };
  Outcome run = merge("base.safetensors");
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_TRUE(run.says("\"fc1.bias\"")) << run.err;
  EXPECT_TRUE(run.says("is [3] in it and [128] in the models")) << run.err;
  folder.Save("other.safetensors",
              Checkpoint({MakeTensor("x", {1}, std::vector<float>{1})}));
  run = merge("other.safetensors");
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_TRUE(run.says("the base does not fit the models")) << run.err;
}

}  // namespace
}  // namespace rebasin
