// Specs and alignment files that are wrong, or do not fit.

#include <gtest/gtest.h>

#include "cli/program.h"

namespace rebasin {
namespace {

using testing::ModelFolder;
using testing::Outcome;

// A spec that fits the demo's models.
const char kSpec[] = R"({
  "format": "rebasin-symmetry", "version": 1,
  "groups": {"P": 128, "Q": 128},
  "tensors": {
    "fc1.weight": ["P", "64"], "fc1.bias": ["P"],
    "fc2.weight": ["Q", "P"], "fc2.bias": ["Q"],
    "fc3.weight": ["10", "Q"], "fc3.bias": ["10"]}})";

struct Row {
  std::string name;
  std::string from, to;  // a replacement in the good text
  int exit_code;
  std::string says;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::string Replaced(std::string text, const Row& row) {
  const size_t at = text.find(row.from);
  EXPECT_NE(at, std::string::npos) << row.from;
  return text.replace(at, row.from.size(), row.to);
}

const Row kSpecRows[] = {
    {"J01_NotJson", "{", "", 3, "line"},
    {"J01_ByteOrderMark", "{", "\xEF\xBB\xBF{", 3, ""},
    {"J01_Comment", "{", "{ // x\n", 3, "line"},
    {"J01_NaN", "128", "NaN", 3, "line"},
    {"J01_DuplicateKey", "\"version\": 1", "\"version\": 1, \"version\": 1", 3,
     "version"},
    {"J02_UnknownVersion", "\"version\": 1", "\"version\": 2", 3, "version"},
    {"J02_NoVersion", "\"version\": 1,", "", 3, "version"},
    {"J04_WrongSize", "\"P\": 128", "\"P\": 64", 4, "fc1"},
    {"J05_UnknownGroup", "[\"P\"]", "[\"R\"]", 3, "\"R\""},
    {"J06_UnknownTensor", "\"fc1.bias\"", "\"fc1.bais\"", 4,
     "did you mean \"fc1.bias\""},
    {"J07_UncoveredTensor", ", \"fc3.bias\": [\"10\"]", "", 4, "fc3.bias"},
    {"J09_OneTensorTwice", "\"fc1.bias\": [\"P\"]",
     "\"fc1.bias\": [\"P\"], \"fc1.bias\": [\"Q\"]", 3, "duplicate key"},
    {"J11_GroupTwiceInOneProduct", "[\"P\"]", "[\"P*P\"]", 3, "twice"},
    {"J13_IndivisibleHeads", "[\"Q\", \"P\"]", "[\"3*43\", \"P\"]", 3,
     "fc2.weight"},
    {"MisspeltField", "\"groups\"", "\"gruops\"", 3, "did you mean \"groups\""},
};

class BadSpecs : public ::testing::TestWithParam<Row> {};

TEST_P(BadSpecs, AreRefused) {
  const ModelFolder folder;
  folder.Write("s.json", Replaced(kSpec, GetParam()));
  const auto before = folder.Files();
  const Outcome run = folder.Run({"merge", "a.safetensors", "b.safetensors",
                                  "--spec", "s.json", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, GetParam().exit_code) << run.err;
  EXPECT_TRUE(run.says(GetParam().says)) << run.err;
  EXPECT_EQ(folder.Files(), before);
}

INSTANTIATE_TEST_SUITE_P(Rows, BadSpecs, ::testing::ValuesIn(kSpecRows),
                         [](const auto& row) { return row.param.name; });

TEST(Specs, AGoodOneMerges) {
  const ModelFolder folder;
  folder.Write("s.json", kSpec);
  EXPECT_EQ(folder
                .Run({"merge", "a.safetensors", "b.safetensors", "--spec",
                      "s.json", "-o", "m.safetensors"})
                .exit_code,
            0);
}

TEST(Specs, J07_UncoveredTensorsPassOnRequest) {
  const ModelFolder folder;
  folder.Write("s.json",
               Replaced(kSpec, {"", ", \"fc3.bias\": [\"10\"]", "", 0, ""}));
  const Outcome run = folder.Run(
      {"inspect", "a.safetensors", "--spec", "s.json", "--allow-uncovered"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.says("warning")) << run.err;
  EXPECT_TRUE(run.says("fc3.bias")) << run.err;
}

// Matches, spoils the alignment file, and applies it.
Outcome ApplySpoilt(const ModelFolder& folder, const Row& row) {
  folder.Run({"match", "a.safetensors", "a.safetensors", "--spec", "mlp", "-o",
              "x.json"});
  folder.Write("x.json", Replaced(ReadAll(folder / "x.json"), row));
  return folder.Run(
      {"apply", "a.safetensors", "--align", "x.json", "-o", "m.safetensors"});
}

const Row kAlignmentRows[] = {
    {"J01_NotJson", "{", "[", 3, "line"},
    {"J02_UnknownVersion", "\"version\": 1", "\"version\": 3", 3, "version 3"},
    {"J02_NoVersion", "\"version\": 1,", "", 3, "version missing"},
    {"J04_TooShort", "[0,1,", "[1,", 4, "127 entries, the group has 128"},
    {"J05_UnknownGroup", "[0,1,", "[], \"x\": [0,1,", 4, "unknown \"x\""},
    {"J05_OtherGroup", "\"P0\": [", "\"f\\u001b\": [", 4,
     "missing \"P0\" unknown \"f\\u001b\""},
    {"J14_OtherFingerprint", "\"fingerprint\": \"", "\"fingerprint\": \"0", 4,
     "fingerprint"},
};

class BadAlignments : public ::testing::TestWithParam<Row> {};

TEST_P(BadAlignments, AreRefused) {
  const ModelFolder folder;
  const Outcome run = ApplySpoilt(folder, GetParam());
  EXPECT_EQ(run.exit_code, GetParam().exit_code) << run.err;
  EXPECT_TRUE(run.says("x.json")) << run.err;
  EXPECT_TRUE(run.says(GetParam().says)) << run.err;
  EXPECT_EQ(run.out, "");
}

INSTANTIATE_TEST_SUITE_P(Rows, BadAlignments,
                         ::testing::ValuesIn(kAlignmentRows),
                         [](const auto& row) { return row.param.name; });

TEST(Alignments, J14_FitOnlyModelsOfTheirStructure) {
  const ModelFolder folder;
  folder.Run({"match", "a.safetensors", "b.safetensors", "--spec", "mlp", "-o",
              "x.json"});
  const Tensor extra = MakeTensor("extra", {1}, std::vector<float>{1});
  folder.Save("b.safetensors",
              testing::With(folder.Load("b.safetensors"), extra));
  const Outcome run = folder.Run(
      {"apply", "b.safetensors", "--align", "x.json", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
}

TEST(Alignments, J16_TheIdentityCopiesBytes) {
  const ModelFolder folder;
  const Outcome run = ApplySpoilt(folder, {"", "{", "{", 0, ""});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(ReadAll(folder / "m.safetensors"),
            ReadAll(folder / "a.safetensors"));
}

TEST(Alignments, ARowThatIsNoPermutationIsRefused) {
  const ModelFolder folder;
  folder.Run({"match", "a.safetensors", "b.safetensors", "--spec", "mlp", "-o",
              "x.json"});
  std::string text = ReadAll(folder / "x.json");
  const size_t at = text.find("127");
  ASSERT_NE(at, std::string::npos);
  folder.Write("x.json", text.replace(at, 3, "126"));
  const Outcome run = folder.Run(
      {"apply", "b.safetensors", "--align", "x.json", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
}

TEST(Alignments, ASpecIsNoAlignment) {
  const ModelFolder folder;
  folder.Write("x.json", kSpec);
  const Outcome run = folder.Run(
      {"apply", "b.safetensors", "--align", "x.json", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
}

}  // namespace
}  // namespace rebasin
