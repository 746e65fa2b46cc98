// Models that are sound and still cannot be taken as they are: values, types
// and widths at the edge, tensors that are one, names that mean nothing.

#include <gtest/gtest.h>

#include <limits>

#include "cli/program.h"
#include "rebasin/merge.h"
#include "support/bad_input.h"
#include "support/spec_text.h"
#include "support/torch_files.h"

namespace rebasin {
namespace {

using testing::ModelFolder;
using testing::Outcome;
using testing::Program;
using testing::RunIn;

void Save(const TempDir& folder, const std::string& name,
          std::vector<Tensor> tensors) {
  SaveCheckpoint(Checkpoint(std::move(tensors)), folder / name,
                 {.sync = false});
}

TEST(OddModels, M07_NumbersThatOverflowTheirNewTypeAreRefused) {
  const TempDir folder;
  Save(folder, "a.safetensors",
       {MakeTensor("w", {2}, std::vector<float>{1, 70'000})});
  const Outcome run = RunIn(folder, {"convert", "a.safetensors",
                                     "out.safetensors", "--dtype", "F16"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_TRUE(run.says("\"w\"")) << run.err;
  EXPECT_EQ(folder.Files(), std::vector<std::string>{"a.safetensors"});
}

TEST(OddModels, M08_SubnormalsAndNegativeZeroPassBitByBit) {
  using Limits = std::numeric_limits<float>;
  const TempDir folder;
  Save(folder, "a.safetensors",
       {MakeTensor("w", {4},
                   std::vector<float>{-0.0f, Limits::denorm_min(),
                                      -Limits::denorm_min(), Limits::max()})});
  Save(folder, "b.safetensors",
       {MakeTensor("w", {4}, std::vector<float>{1, 2, 3, 4})});
  const Outcome run =
      RunIn(folder, {"merge", "a.safetensors", "b.safetensors", "--align",
                     "none", "--lambda", "0", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(ReadAll(folder / "m.safetensors"),
            ReadAll(folder / "a.safetensors"));
}

TEST(OddModels, M10_WidthZeroIsSkipped) {
  const TempDir folder;
  folder.Write("s.json",
               SpecText(R"("P":0,"Q":2)", R"("v":["P","3"],"w":["Q","P"])"));
  for (const char* name : {"a.safetensors", "b.safetensors"}) {
    Save(folder, name,
         {MakeTensor("v", {0, 3}, std::vector<float>{}),
          MakeTensor("w", {2, 0}, std::vector<float>{})});
  }
  const Outcome run =
      RunIn(folder, {"merge", "a.safetensors", "b.safetensors", "--spec",
                     "s.json", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(ReadAll(folder / "m.safetensors"),
            ReadAll(folder / "a.safetensors"));
}

// A PyTorch file in which "a" and "b" are one tensor of shape [2, 3].
std::string Tied() {
  using namespace pickled;
  return TorchArchive(pickled::Program(OrderedDict(
                          {{Text("a"), TensorOf()}, {Text("b"), TensorOf()}})),
                      {{"0", SixFloats()}});
}

TEST(OddModels, M13_TiedTensorsMayNotBePermutedApart) {
  const TempDir folder;
  folder.Write("in.pt", Tied());
  folder.Write("apart.json",
               SpecText(R"("P":2,"Q":2)", R"("a":["P","3"],"b":["Q","3"])"));
  folder.Write("together.json",
               SpecText(R"("P":2)", R"("a":["P","3"],"b":["P","3"])"));
  const Outcome run =
      RunIn(folder, {"inspect", "in.pt", "--spec", "apart.json"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  for (const char* part : {"in.pt", "\"a\"", "\"b\"", "tied", "\"Q\""}) {
    EXPECT_TRUE(run.says(part)) << part << "\n" << run.err;
  }
  EXPECT_EQ(
      RunIn(folder, {"inspect", "in.pt", "--spec", "together.json"}).exit_code,
      0);
}

// Distinct files, and far fewer descriptors than files.
TEST(OddModels, M21_AThousandFilesAreMergedWithFewOfThemOpen) {
  const TempDir folder;
  std::vector<std::string> args = {"-c",
                                   "ulimit -n 64; exec \"$0\" \"$@\"",
                                   REBASIN_PROGRAM,
                                   "merge",
                                   "--align",
                                   "none",
                                   "--quiet",
                                   "-o",
                                   "m.safetensors"};
  for (int i = 0; i < 1000; ++i) {
    const std::string name = std::to_string(i) + ".safetensors";
    Save(folder, name,
         {MakeTensor("w", {1}, std::vector<float>{static_cast<float>(i)})});
    args.push_back(name);
  }
  Program program(folder, args, {}, "/bin/sh");
  const Outcome run = program.Wait();
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Checkpoint merged = Checkpoint::Open(folder / "m.safetensors");
  EXPECT_EQ(FloatsInPlace(*merged.Find("w"))[0], 499.5f);
}

TEST(OddModels, S19_ElementsSmallerThanAByteAreNotPermuted) {
  const TempDir folder;
  folder.Write("in.safetensors", File(R"({"w":{"dtype":"F4","shape":[2,2],)"
                                      R"("data_offsets":[0,2]}})",
                                      "12"));
  const std::string spec = SpecText(R"("P":2)", R"("w":["P","2"])");
  folder.Write("s.json", spec);
  const Outcome shown = RunIn(
      folder, {"inspect", "in.safetensors", "--spec", "s.json", "--json"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  folder.Write("x.json", AlignmentText(shown.json()["fingerprint"], spec,
                                       R"("P":[1,0])"));
  const Outcome run = RunIn(folder, {"apply", "in.safetensors", "--align",
                                     "x.json", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_TRUE(run.says("\"w\"")) << run.err;
}

TEST(OddModels, S44_MetadataThatNamesNoArchitectureIsTheFilesFault) {
  const TempDir folder;
  folder.Write("in.safetensors",
               File(R"({"__metadata__":{"rebasin.model":"resnet\u001b20"},)"
                    R"("w":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
                    "1234"));
  const Outcome run = RunIn(folder, {"inspect", "in.safetensors"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_TRUE(run.says("in.safetensors")) << run.err;
  EXPECT_TRUE(run.says("rebasin.model")) << run.err;
  EXPECT_EQ(
      RunIn(folder, {"convert", "in.safetensors", "out.safetensors"}).exit_code,
      0);
}

}  // namespace
}  // namespace rebasin
