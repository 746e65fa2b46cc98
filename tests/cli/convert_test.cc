// rebasin convert: files of every format, sound and broken, through the real
// command line.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "cli/program.h"
#include "support/bad_input.h"
#include "support/npy_files.h"
#include "support/torch_files.h"

namespace rebasin {
namespace {

using testing::ModelFolder;
using testing::Outcome;
using testing::RunIn;

std::vector<InputRow> ModelRows() {
  std::vector<InputRow> rows;
  for (const auto& part : {TorchRows(), SafetensorsRows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

class ConvertedFile : public ::testing::TestWithParam<InputRow> {};

// One line, perhaps a hint; nothing written, nothing left behind.
TEST_P(ConvertedFile, IsWrittenOrRefusedWithoutATrace) {
  const InputRow& row = GetParam();
  const TempDir folder;
  folder.Write("in", row.make());
  const Outcome run = RunIn(folder, {"convert", "in", "out.safetensors"});
  if (!row.error && run.exit_code == 0) {
    EXPECT_NO_THROW(Checkpoint::Open(folder / "out.safetensors"));
    return;
  }
  // A sound file may hold nothing to convert.
  const int expected = row.error ? Error(*row.error, "").ExitCode()
                                 : Error(ErrorCode::kMismatch, "").ExitCode();
  EXPECT_EQ(run.exit_code, expected) << run.err;
  EXPECT_EQ(run.err.rfind("rebasin: error: ", 0), 0u) << run.err;
  EXPECT_LE(std::count(run.err.begin(), run.err.end(), '\n'), 2) << run.err;
  EXPECT_EQ(folder.Files(), std::vector<std::string>{"in"});
}

INSTANTIATE_TEST_SUITE_P(Rows, ConvertedFile, ::testing::ValuesIn(ModelRows()),
                         [](const auto& row) { return row.param.name; });

TEST(Convert, WritesWhatAPyTorchFileHolds) {
  const TempDir folder;
  folder.Write("in.pt", SoundTorchArchive());
  folder.Write("in.th", SoundLegacyTorch());
  for (const std::string input : {"in.pt", "in.th"}) {
    const Outcome run =
        RunIn(folder, {"convert", input, "out.safetensors", "--force"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Checkpoint model = Checkpoint::Open(folder / "out.safetensors");
    ASSERT_NE(model.Find("w"), nullptr);
    EXPECT_EQ(std::string(
                  reinterpret_cast<const char*>(model.Find("w")->bytes.data()),
                  model.Find("w")->bytes.size()),
              SixFloats());
  }
}

TEST(Convert, TakesTheKey) {
  using namespace pickled;
  const TempDir folder;
  folder.Write("in.pt",
               TorchArchive(Program(Dict({{Text("state_dict"),
                                           Dict({{Text("w"), TensorOf()}})}})),
                            {{"0", SixFloats()}}));
  EXPECT_EQ(RunIn(folder,
                  {"convert", "in.pt", "a.safetensors", "--key", "state_dict"})
                .exit_code,
            0);
  // It is the only one.
  const Outcome found = RunIn(folder, {"convert", "in.pt", "b.safetensors"});
  EXPECT_EQ(found.exit_code, 0);
  EXPECT_TRUE(found.says("taken from \"state_dict\"")) << found.err;
}

TEST(Convert, DictionariesToChooseFromAreBadInput) {
  using namespace pickled;
  const TempDir folder;
  const std::string dict = Dict({{Text("w"), TensorOf()}});
  folder.Write(
      "in.pt",
      TorchArchive(Program(Dict({{Text("a"), dict}, {Text("b"), dict}})),
                   {{"0", SixFloats()}}));
  const Outcome run = RunIn(folder, {"convert", "in.pt", "a.safetensors"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(run.says("choose with --key: a, b")) << run.err;
}

TEST(Convert, ReadsArraysOfNumPy) {
  const TempDir folder;
  const std::string array =
      NpyFile(NpyDictionary("<f4", "(2, 3)"), SixFloats());
  folder.Write("x.npy", array);
  folder.Write("x.npz", MakeZip({{.name = "fc/w.npy", .content = array},
                                 {.name = "readme.txt", .content = "hello"}}));
  EXPECT_EQ(RunIn(folder, {"convert", "x.npy", "a.safetensors"}).exit_code, 0);
  EXPECT_NE(Checkpoint::Open(folder / "a.safetensors").Find("x"), nullptr);
  const Outcome run = RunIn(folder, {"convert", "x.npz", "b.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.says("\"readme.txt\" is not an array")) << run.err;
  const Checkpoint model = Checkpoint::Open(folder / "b.safetensors");
  ASSERT_NE(model.Find("fc/w"), nullptr);
  EXPECT_EQ(model.Find("fc/w")->shape, (Shape{2, 3}));
}

// NumPy has no bfloat16, and what saves such arrays calls them "<V2".
TEST(Convert, N15_ReadsBfloat16OfNumPyIfTold) {
  const TempDir folder;
  const std::string array = NpyFile(NpyDictionary("<V2", "(2,)"), "abcd");
  folder.Write("x.npy", array);
  folder.Write("x.npz", MakeZip({{.name = "x.npy", .content = array}}));
  for (const std::string file : {"x.npy", "x.npz"}) {
    const Outcome refused = RunIn(folder, {"convert", file, "out.safetensors"});
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_TRUE(refused.says("--npy-bf16")) << refused.err;
    const Outcome run = RunIn(
        folder, {"convert", file, "out.safetensors", "--npy-bf16", "--force"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Checkpoint model = Checkpoint::Open(folder / "out.safetensors");
    ASSERT_NE(model.Find("x"), nullptr);
    EXPECT_EQ(model.Find("x")->dtype, DType::kBF16);
    EXPECT_EQ(std::memcmp(model.Find("x")->bytes.data(), "abcd", 4), 0);
    std::filesystem::remove(folder / "out.safetensors");
  }
}

TEST(Convert, ChangesElementTypes) {
  const ModelFolder folder;
  const Outcome run = folder.Run(
      {"convert", "a.safetensors", "half.safetensors", "--dtype", "F16"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Checkpoint half = folder.Load("half.safetensors");
  for (const Tensor& tensor : half.tensors()) {
    EXPECT_EQ(tensor.dtype, DType::kF16);
  }
}

TEST(Convert, SaysWhatItDoesNotWrite) {
  const ModelFolder folder;
  const Outcome run = folder.Run({"convert", "a.safetensors", "a.onnx"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(run.says("read, not written")) << run.err;
  EXPECT_EQ(
      folder.Run({"convert", "a.safetensors", "a.pt", "--shard-size", "1K"})
          .exit_code,
      2);
}

TEST(Convert, GoesThereAndBack) {
  const ModelFolder folder;
  for (const std::string file : {"a.pt", "a.npz"}) {
    const Outcome there = folder.Run({"convert", "a.safetensors", file});
    EXPECT_EQ(there.exit_code, 0) << there.err;
    const Outcome back =
        folder.Run({"convert", file, "back.safetensors", "--force"});
    EXPECT_EQ(back.exit_code, 0) << back.err;
    EXPECT_EQ(ReadAll(folder / "back.safetensors"),
              ReadAll(folder / "a.safetensors"));
    EXPECT_EQ(folder.Run({"convert", "b.safetensors", file}).exit_code, 2);
  }
}

TEST(Convert, RefusesTypesThatTheOtherFormatLacks) {
  const ModelFolder folder;
  folder.Run({"convert", "a.safetensors", "h.safetensors", "--dtype", "BF16"});
  EXPECT_EQ(folder.Run({"convert", "h.safetensors", "h.pt"}).exit_code, 0);
  const Outcome run = folder.Run({"convert", "h.safetensors", "h.npz"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(run.says("NumPy has no BF16")) << run.err;
}

}  // namespace
}  // namespace rebasin
