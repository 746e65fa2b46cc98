// Commands that know the model's graph: architectures and .onnx files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/random.h"
#include "cli/program.h"
#include "onnx/onnx.h"
#include "rebasin/merge.h"
#include "support/onnx_models.h"

namespace rebasin {
namespace {

using ::testing::HasSubstr;
using testing::ModelFolder;
using ::testing::Not;
using testing::Outcome;

// The models of the folder are chains of dense layers called fc1, fc2, fc3.
TEST(Graphs, AutoRecognisesTheArchitecture) {
  const ModelFolder folder;
  const Outcome run =
      folder.Run({"inspect", "a.safetensors", "--model", "auto"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("reaches the graph output"));
  EXPECT_THAT(run.out, HasSubstr("[fc2, fc1]"));
}

TEST(Graphs, InspectNeedsNoWeights) {
  const ModelFolder folder;
  const Outcome run = folder.Run({"inspect", "--model", "resnet50"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("10^25638"));
}

TEST(Graphs, InspectWritesASpecThatOtherCommandsTake) {
  const ModelFolder folder;
  EXPECT_EQ(folder
                .Run({"inspect", "a.safetensors", "--model", "auto", "-o",
                      "spec.json"})
                .exit_code,
            0);
  const Outcome run =
      folder.Run({"merge", "a.safetensors", "b.safetensors", "--spec",
                  "spec.json", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(Graphs, WhyShowsTheChainOfTies) {
  const ModelFolder folder;
  const Outcome run = folder.Run(
      {"inspect", "a.safetensors", "--model", "auto", "--why", "fc1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* part : {"fc1.weight[0]", "fc1.bias[0]", "fc2.weight[1]"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
}

TEST(Graphs, WhySuggestsGroups) {
  const ModelFolder folder;
  const Outcome run = folder.Run(
      {"inspect", "a.safetensors", "--model", "auto", "--why", "fc11"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(run.says("did you mean \"fc1\"?")) << run.err;
}

TEST(Graphs, MergeVerifiesAndSaysSo) {
  const ModelFolder folder;
  const Outcome run = folder.Run({"merge", "a.safetensors", "b.safetensors",
                                  "--model", "auto", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("verified"));
  const Outcome quick =
      folder.Run({"merge", "a.safetensors", "b.safetensors", "--model", "auto",
                  "-o", "n.safetensors", "--no-verify"});
  EXPECT_THAT(quick.out, Not(HasSubstr("verified")));
  EXPECT_TRUE(
      SameContent(folder.Load("m.safetensors"), folder.Load("n.safetensors")));
}

TEST(Verify, PassesForWhatDiscoveryFinds) {
  const ModelFolder folder;
  const Outcome run =
      folder.Run({"verify", "a.safetensors", "--model", "auto"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("the same function"));
}

TEST(Verify, J12_SpecThatPermutesTheOutputIsCaught) {
  const ModelFolder folder;
  std::ofstream(folder / "wrong.json") << R"({
    "format": "rebasin-symmetry", "version": 1,
    "groups": {"P0": 128, "out": 10},
    "tensors": {"fc1.weight": ["P0", "64"], "fc1.bias": ["P0"],
                "fc2.weight": ["128", "P0"], "fc2.bias": ["128"],
                "fc3.weight": ["out", "128"], "fc3.bias": ["out"]}})";
  const Outcome run = folder.Run({"verify", "a.safetensors", "--model", "auto",
                                  "--spec", "wrong.json", "--json"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_EQ(run.json()["same"], false);
}

TEST(Merge, SaysWhatToDoAboutAWrongSpec) {
  const ModelFolder folder;
  for (uint64_t seed : {1, 2}) {
    OnnxBuilder onnx(16);
    onnx.Input("x", {2, 4});
    const auto weight = [&](const std::string& name, Shape shape) {
      int64_t size = 1;
      for (int64_t s : shape) size *= s;
      std::vector<float> values;
      Random random(seed);
      for (int64_t i = 0; i < size; ++i) {
        values.push_back(static_cast<float>(random.Normal()));
      }
      onnx.Weight(name, std::move(shape), values);
    };
    weight("in", {4, 6});
    weight("bias", {6});
    weight("out", {6, 3});
    onnx.Node("MatMul", {"x", "in"}, {"h"});
    onnx.Node("Add", {"h", "bias"}, {"b"});
    onnx.Node("Relu", {"b"}, {"r"});
    onnx.Node("MatMul", {"r", "out"}, {"y"});
    onnx.Output("y");
    folder.Write("m" + std::to_string(seed) + ".onnx", onnx.Bytes());
  }
  std::ofstream(folder / "wrong.json") << R"({
    "format": "rebasin-symmetry", "version": 1, "groups": {"h": 6},
    "tensors": {"in": ["4", "h"], "bias": ["6"], "out": ["h", "3"]}})";
  const Outcome run = folder.Run(
      {"merge", "m1.onnx", "m2.onnx", "--spec", "wrong.json", "-o", "x.onnx"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_TRUE(
      run.says("the spec \"wrong.json\" changes the function of "
               "\"m2.onnx\""))
      << run.err;
  EXPECT_TRUE(run.says("without --spec")) << run.err;
}

TEST(Apply, RefusesAnAlignmentThatChangesTheFunction) {
  const ModelFolder folder;
  std::ofstream(folder / "wrong.json") << R"({
    "format": "rebasin-symmetry", "version": 1,
    "groups": {"out": 10},
    "tensors": {"fc1.weight": ["128", "64"], "fc1.bias": ["128"],
                "fc2.weight": ["128", "128"], "fc2.bias": ["128"],
                "fc3.weight": ["out", "128"], "fc3.bias": ["out"]}})";
  // Rows of the last layer in another order, and the alignment that finds it.
  const auto symmetry =
      std::make_shared<const Symmetry>(Symmetry::Load(folder / "wrong.json"));
  folder.Save("c.safetensors", Permute(folder.Load("a.safetensors"),
                                       Alignment::Random(symmetry, 1)));
  ASSERT_EQ(folder
                .Run({"match", "a.safetensors", "c.safetensors", "--spec",
                      "wrong.json", "-o", "c.json"})
                .exit_code,
            0);
  const std::vector<std::string> apply = {
      "apply", "c.safetensors", "--align", "c.json", "-o", "x.safetensors"};
  const Outcome run = folder.Run(apply);
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_TRUE(run.says("changes the function")) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "x.safetensors"));
  std::vector<std::string> unverified = apply;
  unverified.push_back("--no-verify");
  EXPECT_EQ(folder.Run(unverified).exit_code, 0);
}

TEST(Merge, TestsASpecOnTheModelThatIsNamedBesideIt) {
  const ModelFolder folder;
  std::ofstream(folder / "wrong.json") << R"({
    "format": "rebasin-symmetry", "version": 1,
    "groups": {"out": 10},
    "tensors": {"fc1.weight": ["128", "64"], "fc1.bias": ["128"],
                "fc2.weight": ["128", "128"], "fc2.bias": ["128"],
                "fc3.weight": ["out", "128"], "fc3.bias": ["out"]}})";
  for (const char* model : {"auto", "mlp"}) {
    const Outcome run =
        folder.Run({"merge", "a.safetensors", "b.safetensors", "--spec",
                    "wrong.json", "--model", model, "-o", "x.safetensors"});
    EXPECT_EQ(run.exit_code, 4) << model;
    EXPECT_TRUE(run.says("changes the function")) << run.err;
  }
}

class OnnxFiles : public ModelFolder {
 public:
  OnnxFiles() {
    Export("a.onnx", Load("a.safetensors"));
    Export("b.onnx", Load("b.safetensors"));
  }

 private:
  void Export(const std::string& name, const Checkpoint& model) {
    OnnxBuilder onnx;
    onnx.Input("x", {-1, 64}, {"batch"});
    std::string last = "x";
    for (const std::string layer : {"fc1", "fc2", "fc3"}) {
      for (const std::string part : {".weight", ".bias"}) {
        const Tensor& tensor = *model.Find(layer + part);
        std::vector<float> values(tensor.size());
        ReadFloats(tensor, 0, values);
        onnx.Weight(tensor.name, tensor.shape, values);
      }
      const bool output = layer == "fc3";
      SetInt(onnx.Node("Gemm", {last, layer + ".weight", layer + ".bias"},
                       {output ? "y" : layer}),
             "transB", 1);
      if (!output) onnx.Node("Relu", {layer}, {layer + "_relu"});
      last = layer + "_relu";
    }
    onnx.Output("y");
    std::ofstream(*this / name, std::ios::binary) << onnx.Bytes();
  }
};

TEST(Onnx, FilesNeedNoOtherDescription) {
  const OnnxFiles folder;
  EXPECT_THAT(folder.Run({"inspect", "a.onnx"}).out, HasSubstr("[fc2, fc1]"));
  EXPECT_EQ(folder.Run({"verify", "a.onnx"}).exit_code, 0);
  EXPECT_EQ(folder.Run({"diff", "a.onnx", "b.onnx"}).exit_code, 1);
}

TEST(Onnx, MergesIntoAnOnnxFileWithTheNumbersOfTheOtherFormat) {
  const OnnxFiles folder;
  const Outcome onnx =
      folder.Run({"merge", "a.onnx", "b.onnx", "-o", "m.onnx"});
  EXPECT_EQ(onnx.exit_code, 0) << onnx.err;
  EXPECT_THAT(onnx.out, HasSubstr("verified"));
  const Outcome plain =
      folder.Run({"merge", "a.safetensors", "b.safetensors", "--model",
                  "a.onnx", "-o", "m.safetensors"});
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_TRUE(SameContent(ReadOnnxWeights(folder / "m.onnx"),
                          folder.Load("m.safetensors")));
}

TEST(Onnx, OutputNeedsAGraph) {
  const OnnxFiles folder;
  const Outcome run = folder.Run({"merge", "a.safetensors", "b.safetensors",
                                  "--model", "auto", "-o", "m.onnx"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(run.says("no .onnx file")) << run.err;
}

TEST(Onnx, AppliesAlignments) {
  const OnnxFiles folder;
  ASSERT_EQ(folder.Run({"match", "a.onnx", "b.onnx", "-o", "b.json"}).exit_code,
            0);
  const Outcome run =
      folder.Run({"apply", "b.onnx", "--align", "b.json", "-o", "c.onnx"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("verified"));
  EXPECT_EQ(folder.Run({"diff", "b.onnx", "c.onnx"}).exit_code, 0);
}

TEST(Onnx, UnknownOperatorsAreBarriersWithAWarning) {
  const ModelFolder folder;
  OnnxBuilder onnx;
  onnx.Input("x", {1, 2});
  onnx.Weight("w", {2, 3}, {1, 2, 3, 4, 5, 6});
  onnx.Node("MatMul", {"x", "w"}, {"h"});
  onnx.Node("Strange", {"h"}, {"y"});
  onnx.Output("y");
  std::ofstream(folder / "s.onnx", std::ios::binary) << onnx.Bytes();
  const Outcome run = folder.Run({"inspect", "s.onnx"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.says("no rule for Strange")) << run.err;
  EXPECT_THAT(run.out, HasSubstr("no groups"));
}

TEST(Onnx, WhatCannotBeRunIsSaidWithFileAndOperator) {
  const ModelFolder folder;
  OnnxBuilder onnx(16);
  onnx.Input("x", {3, 2, 4});
  onnx.Weight("w", {1, 8, 4}, Counting(32));
  onnx.Weight("r", {1, 8, 2}, Counting(16));
  onnx.Weight("peep", {1, 6}, Counting(6));
  SetInt(onnx.Node("LSTM", {"x", "w", "r", "", "", "", "", "peep"}, {"y"}),
         "hidden_size", 2);
  onnx.Output("y");
  folder.Write("peep.onnx", onnx.Bytes());
  const Outcome run = folder.Run({"verify", "peep.onnx"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.err,
            "rebasin: error: \"peep.onnx\": cannot run LSTM \"LSTM_1\": "
            "peepholes are not "
            "supported\n");
}

TEST(Onnx, CorruptFilesGiveOneLine) {
  const ModelFolder folder;
  OnnxBuilder onnx;
  onnx.Input("x", {1, 2});
  onnx.Node("Relu", {"nowhere"}, {"y"});
  onnx.Output("y");
  std::ofstream(folder / "bad.onnx", std::ios::binary) << onnx.Bytes();
  const Outcome run = folder.Run({"verify", "bad.onnx"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(run.says("no node produces")) << run.err;
}

}  // namespace
}  // namespace rebasin
