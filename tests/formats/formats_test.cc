#include "formats/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "onnx/format.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::HasSubstr;

std::string Code(std::span<const std::string_view> endings) {
  std::string text;
  for (const std::string_view ending : endings) {
    text += (text.empty() ? "`" : ", `") + std::string(ending) + "`";
  }
  return text;
}

std::string MarkdownRow(const Format& format) {
  const auto yes = [](bool value) { return value ? " yes |" : " no |"; };
  const std::string read = Code(format.read_endings);
  return "| " + std::string(format.name) + " | " + std::string(format.help) +
         " | " + Code(format.endings) +
         (read.empty() ? "" : "; read: " + read) + " |" +
         yes(format.write != nullptr) + yes(format.streams) +
         yes(format.holds_metadata) + "\n";
}

TEST(Formats, AreTheTableOfTheDocumentation) {
  std::string table =
      "| format | what | names end with | written | in shards | metadata |\n"
      "|---|---|---|---|---|---|\n";
  for (const Format& format : ModelFormats().rows()) {
    table += MarkdownRow(format);
  }
  std::ifstream file(std::string(REBASIN_SOURCE_DIR) + "/docs/formats.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr(table + "\n"));
}

TEST(Formats, HaveNamesAndEndingsOfTheirOwn) {
  std::set<std::string_view> seen;
  for (const Format& format : ModelFormats().rows()) {
    EXPECT_TRUE(seen.insert(format.name).second) << format.name;
    EXPECT_FALSE(format.phrase.empty() || format.help.empty()) << format.name;
    EXPECT_NE(format.recognises, nullptr) << format.name;
    EXPECT_FALSE(format.endings.empty()) << format.name;
    for (const auto& endings : {format.endings, format.read_endings}) {
      for (const std::string_view ending : endings) {
        EXPECT_TRUE(seen.insert(ending).second) << ending;
      }
    }
  }
}

// ONNX files are opened by a higher layer, which wants their graph.
TEST(Formats, OfCheckpointsAreAllRead) {
  for (const Format& format : CheckpointFormats().rows()) {
    EXPECT_NE(format.read, nullptr) << format.name;
  }
}

TEST(Formats, AreListedForPeople) {
  EXPECT_EQ(ModelFormats().Readable(),
            "safetensors, a file of torch.save, .npz, .npy, .gguf or .onnx");
  EXPECT_EQ(ModelFormats().Writable(), ".safetensors, .pt or .npz");
  EXPECT_EQ(ModelFormats().WritableWithGraph(),
            ".safetensors, .pt, .npz or, of .onnx files, .onnx");
  EXPECT_EQ(CheckpointFormats().WritableWithGraph(),
            ".safetensors, .pt or .npz");
}

TEST(Formats, AreChosenByTheEndingOfAnOutput) {
  const auto name = [](const char* path) {
    return std::string(ModelFormats().For(path).name);
  };
  EXPECT_EQ(name("a.safetensors"), "safetensors");
  EXPECT_EQ(name("a"), "safetensors");
  EXPECT_EQ(name("a.safetensors.index.json"), "safetensors");
  EXPECT_EQ(name("a.pth"), "PyTorch");
  EXPECT_EQ(name("a.npz"), "npz");
  EXPECT_EQ(name("a.onnx"), "ONNX");
}

TEST(Formats, ThatAreNotWrittenAreRefusedByTheirEnding) {
  for (const char* path : {"a.npy", "a.gguf", "a.bin"}) {
    ExpectError(ErrorCode::kUnsupported,
                {"read, not written", "a .safetensors, .pt or .npz file"},
                [&] { ModelFormats().For(path); });
  }
  ExpectError(ErrorCode::kUsage, {"\"a.txt\"", "no writer", "\".txt\""},
              [] { ModelFormats().For("a.txt"); });
}

Checkpoint OneTensor() {
  const std::vector<float> values = {1, 2};
  return Checkpoint({MakeTensor("w", {2}, values)}, {{"key", "value"}});
}

TEST(SaveModel, WritesTheFormatOfTheEnding) {
  const TempDir folder;
  for (const char* file : {"m.safetensors", "m.pt", "m.npz"}) {
    std::vector<std::string> warnings;
    SaveModel(OneTensor(), folder / file, {},
              {.warn = [&](const auto& line) { warnings.push_back(line); }});
    const InputFile written(folder / file);
    EXPECT_EQ(&CheckpointFormats().Of(written), &CheckpointFormats().For(file));
    EXPECT_NE(Checkpoint::Open(folder / file).Find("w"), nullptr);
    EXPECT_EQ(warnings.empty(), std::string(file) == "m.safetensors");
  }
}

TEST(SaveModel, WritesAnotherFormatIfAsked) {
  const TempDir folder;
  SaveModel(OneTensor(), folder / "m.tmp", {.format = "npz"});
  EXPECT_EQ(CheckpointFormats().Of(InputFile(folder / "m.tmp")).name, "npz");
  ExpectError(ErrorCode::kUsage, {"no format \"np\""}, [&] {
    SaveModel(OneTensor(), folder / "n.tmp", {.format = "np"});
  });
}

TEST(CheckSaveModel, RefusesWhatCannotBeWrittenAndLeavesNothing) {
  const TempDir folder;
  const auto check = [&](const char* file, const SaveOptions& options = {}) {
    CheckSaveModel(OneTensor(), folder / file, options);
  };
  check("m.npz");
  ExpectError(ErrorCode::kUsage, {"no writer"}, [&] { check("m.txt"); });
  ExpectError(ErrorCode::kUnsupported, {"read, not written"},
              [&] { check("m.gguf"); });
  ExpectError(ErrorCode::kUsage, {"only safetensors are written in shards"},
              [&] { check("m.pt", {.write = {.shard_bytes = 1}}); });
  EXPECT_TRUE(folder.Files().empty());
}

}  // namespace
}  // namespace rebasin
