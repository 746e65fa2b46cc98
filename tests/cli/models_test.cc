// Models that do not fit each other, or hold what they should not.

#include <gtest/gtest.h>

#include <limits>

#include "cli/program.h"
#include "rebasin/merge.h"

namespace rebasin {
namespace {

using testing::ModelFolder;
using testing::Outcome;
using testing::With;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const std::vector<std::string> kMerge = {
    "merge", "a.safetensors", "b.safetensors", "--spec", "mlp",
    "-o",    "m.safetensors"};
const std::vector<std::string> kMergeAsIs = {
    "merge", "a.safetensors", "b.safetensors", "--align", "none",
    "-o",    "m.safetensors"};

Tensor Filled(const std::string& name, const Shape& shape, float value,
              DType dtype = DType::kF32) {
  int64_t size = 1;
  for (int64_t dim : shape) size *= dim;
  return MakeTensor(
      name, shape, std::vector<float>(static_cast<size_t>(size), value), dtype);
}

Tensor Counter(char value) {
  const auto owner = std::make_shared<std::string>(8, value);
  return {.name = "num_batches_tracked",
          .dtype = DType::kI64,
          .shape = {},
          .bytes = std::as_bytes(std::span(*owner)),
          .owner = owner};
}

// What is done to b.safetensors, and how merging ends.
struct Row {
  std::string name;
  std::function<Checkpoint(const Checkpoint&)> spoil;
  int exit_code;
  std::vector<std::string> says;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

Checkpoint Renamed(const Checkpoint& model, const std::string& prefix) {
  std::vector<Tensor> tensors = model.tensors();
  for (Tensor& tensor : tensors) tensor.name = prefix + tensor.name;
  return Checkpoint(std::move(tensors));
}

const Row kRows[] = {
    {"M01_OtherNames",
     [](const Checkpoint& b) { return Renamed(b, "net."); },
     4,
     {"6 only in A", "6 only in B", "net."}},
    {"M01_OneTensorMore",
     [](const Checkpoint& b) { return With(b, Filled("extra", {2}, 0)); },
     4,
     {"1 only in B", "extra"}},
    {"M02_OtherShape",
     [](const Checkpoint& b) { return With(b, Filled("fc1.bias", {64}, 0)); },
     4,
     {"fc1.bias", "[128]", "[64]"}},
    {"M02_OtherRank",
     [](const Checkpoint& b) {
       return With(b, Filled("fc1.bias", {128, 1}, 0));
     },
     4,
     {"fc1.bias", "[128, 1]"}},
    {"M03_OtherType",
     [](const Checkpoint& b) {
       return With(b, Filled("fc1.bias", {128}, 0, DType::kF16));
     },
     4,
     {"fc1.bias", "F32", "F16"}},
    {"M05_NotANumber",
     [](const Checkpoint& b) {
       return With(b, Filled("fc1.bias", {128}, kNan));
     },
     3,
     {"fc1.bias", "128 values", "index 0"}},
    {"M05_Infinite",
     [](const Checkpoint& b) {
       return With(b, Filled("fc3.bias", {10}, -1.0f / 0.0f));
     },
     3,
     {"fc3.bias", "10 values"}},
    {"M14_OtherWidth",
     [](const Checkpoint& b) {
       return With(With(b, Filled("fc1.weight", {256, 64}, 0)),
                   Filled("fc1.bias", {256}, 0));
     },
     4,
     {"unequal widths"}},
    {"S33_NoTensors",
     [](const Checkpoint&) { return Checkpoint(); },
     4,
     {"no tensors"}},
};

class BadModels : public ::testing::TestWithParam<Row> {};

TEST_P(BadModels, AreNotMerged) {
  const ModelFolder folder;
  const Row& row = GetParam();
  folder.Save("b.safetensors", row.spoil(folder.Load("b.safetensors")));
  const auto before = folder.Files();
  for (const auto& command : {kMerge, kMergeAsIs}) {
    const Outcome run = folder.Run(command);
    EXPECT_EQ(run.exit_code, row.exit_code) << run.err;
    for (const std::string& part : row.says) {
      EXPECT_TRUE(run.says(part)) << part << "\n" << run.err;
    }
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(folder.Files(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, BadModels, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(Models, M03_OtherTypesMeetOnRequestWithAWarning) {
  const ModelFolder folder;
  folder.Save("b.safetensors",
              ConvertTypes(folder.Load("b.safetensors"), DType::kBF16));
  std::vector<std::string> command = kMerge;
  EXPECT_EQ(folder.Run(command).exit_code, 4);
  command.insert(command.end(), {"--dtype", "F32"});
  const Outcome run = folder.Run(command);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.says("converted to F32")) << run.err;
  EXPECT_EQ(folder.Load("m.safetensors").Find("fc1.bias")->dtype, DType::kF32);
  command.back() = "F31";
  EXPECT_EQ(folder.Run(command).exit_code, 2);
}

TEST(Models, M04_IntegersThatDifferAreCopiedWithAWarning) {
  const ModelFolder folder;
  for (const char* name : {"a.safetensors", "b.safetensors"}) {
    folder.Save(name, With(folder.Load(name), Counter(name[0])));
  }
  const Outcome run = folder.Run(kMergeAsIs);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.says("num_batches_tracked")) << run.err;
  const Checkpoint merged = folder.Load("m.safetensors");
  EXPECT_EQ(merged.Find("num_batches_tracked")->bytes[0], std::byte{'a'});
}

TEST(Models, M05_NonFiniteValuesPassOnRequestButAreNeverMatched) {
  const ModelFolder folder;
  folder.Save("b.safetensors", With(folder.Load("b.safetensors"),
                                    Filled("fc1.bias", {128}, kNan)));
  std::vector<std::string> as_is = kMergeAsIs, matched = kMerge;
  as_is.push_back("--allow-nonfinite");
  matched.push_back("--allow-nonfinite");
  EXPECT_EQ(folder.Run(matched).exit_code, 3);
  EXPECT_EQ(folder.Run(as_is).exit_code, 0);
}

TEST(Models, M10_WidthOneIsTheIdentity) {
  const ModelFolder folder;
  const Checkpoint model(
      {Filled("fc1.weight", {1, 3}, 1), Filled("fc2.weight", {2, 1}, 2)});
  folder.Save("a.safetensors", model);
  folder.Save("b.safetensors", model);
  const Outcome run = folder.Run(kMerge);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(SameContent(folder.Load("m.safetensors"), model));
}

TEST(Models, M11_TheSameModelTwiceIsMergedWithAWarning) {
  const ModelFolder folder;
  std::filesystem::copy(folder / "a.safetensors", folder / "copy.safetensors");
  for (const char* other : {"a.safetensors", "copy.safetensors"}) {
    std::vector<std::string> command = kMerge;
    command[2] = other;
    command.push_back("--force");
    const Outcome run = folder.Run(command);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_TRUE(run.says("same content")) << run.err;
    EXPECT_EQ(ReadAll(folder / "m.safetensors"),
              ReadAll(folder / "a.safetensors"));
  }
}

TEST(Models, M15_StatisticsAreAveragedWithAWarning) {
  const ModelFolder folder;
  for (const char* name : {"a.safetensors", "b.safetensors"}) {
    const float value = name[0] == 'a' ? 1 : -3;
    folder.Save(name,
                With(folder.Load(name), Filled("bn.running_var", {4}, value)));
  }
  const Outcome run = folder.Run(kMergeAsIs);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.says("recalculate")) << run.err;
  EXPECT_TRUE(run.says("negative")) << run.err;
  std::vector<std::string> quiet = kMergeAsIs;
  quiet.insert(quiet.end(), {"--force", "--quiet"});
  EXPECT_EQ(folder.Run(quiet).err, "");
}

TEST(Models, M19_EndsWithAWarningWithoutConvergence) {
  const ModelFolder folder;
  const Outcome run =
      folder.Run({"match", "a.safetensors", "b.safetensors", "--spec", "mlp",
                  "--start", "identity", "--max-passes", "1", "--json"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.json()["converged"], false);
  EXPECT_EQ(run.json()["warnings"].size(), 1u);
  EXPECT_TRUE(run.says("did not converge")) << run.err;
}

TEST(Models, M20_ShardsMergeLikeSingleFiles) {
  const ModelFolder folder;
  SaveCheckpoint(folder.Load("b.safetensors"), folder / "shards.safetensors",
                 {.shard_bytes = 50'000, .sync = false});
  folder.Run(kMerge);
  std::vector<std::string> sharded = kMerge;
  sharded[2] = "shards.safetensors.index.json";
  sharded[6] = "m2.safetensors";
  EXPECT_EQ(folder.Run(sharded).exit_code, 0);
  EXPECT_EQ(ReadAll(folder / "m.safetensors"),
            ReadAll(folder / "m2.safetensors"));
}

TEST(Models, M21_AThousandModelsAreMerged) {
  const ModelFolder folder;
  std::vector<std::string> command = {"merge",   "--align", "none",
                                      "--quiet", "-o",      "m.safetensors"};
  command.insert(command.end(), 1000, "a.safetensors");
  EXPECT_EQ(folder.Run(command).exit_code, 0);
  EXPECT_EQ(ReadAll(folder / "m.safetensors"),
            ReadAll(folder / "a.safetensors"));
}

}  // namespace
}  // namespace rebasin
