// Models of several files, some of them missing, wrong or no plain files,
// through the real command line.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "bad_inputs/trial.h"
#include "support/bad_input.h"
#include "support/onnx_models.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using testing::ExpectTrial;
using testing::Trial;

constexpr int kOk = 0, kBad = 3, kIo = 5;

// What is put into a folder, and how the program takes it.
struct FolderCase {
  std::string name;
  std::function<void(const TempDir&)> fill;
  int exit_code = kBad;
  std::string names = {};  // the file that the message names
  std::vector<std::string> says = {};
  std::vector<std::string> options = {};
};

void PrintTo(const FolderCase& given, std::ostream* out) { *out << given.name; }

std::string NameOf(const ::testing::TestParamInfo<FolderCase>& info) {
  return info.param.name;
}

// The file is shown, and written anew.
void ExpectBoth(const TempDir& folder, const std::string& file,
                const FolderCase& given) {
  Trial trial{.args = {"inspect", file},
              .file = given.names,
              .exit_code = given.exit_code,
              .says = given.says};
  trial.args.insert(trial.args.end(), given.options.begin(),
                    given.options.end());
  ExpectTrial(folder, trial);
  trial.args[0] = "convert";
  trial.args.insert(trial.args.begin() + 2, "out.safetensors");
  trial.output = "out.safetensors";
  ExpectTrial(folder, trial);
}

// --- shards

const std::string kIndex = "in.safetensors.index.json";

// A file that holds the one tensor `name`.
std::string Shard(const std::string& name) {
  return File(
      "{\"" + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
      "1234");
}

void WriteIndex(const TempDir& folder, const std::string& map,
                const std::string& more = "") {
  folder.Write(kIndex, "{" + more + "\"weight_map\":{" + map + "}}");
}

// Puts a link in the place of a file, which moves to `to`.
void MoveBehindLink(const TempDir& folder, const std::string& name,
                    const fs::path& to) {
  fs::create_directories((folder / to).parent_path());
  fs::rename(folder / name, folder / to);
  fs::create_symlink(to, folder / name);
}

const FolderCase kShardCases[] = {
    {"I00_Sound", [](const TempDir&) {}, kOk},
    {"I04_LinkOutOfTheFolder",
     [](const TempDir& folder) {
       fs::remove(folder / "a.safetensors");
       fs::create_symlink("/etc/hostname", folder / "a.safetensors");
     },
     kBad,
     "a.safetensors",
     {"symbolic link", "--follow-symlinks"}},
    {"I04_LinkOutOfTheFolderIsFollowedAndFoundOut",
     [](const TempDir& folder) {
       fs::remove(folder / "a.safetensors");
       fs::create_symlink("/etc/hostname", folder / "a.safetensors");
     },
     kBad,
     "a.safetensors",
     {},
     {"--follow-symlinks"}},
    {"I04_LinkInsideTheFolder",
     [](const TempDir& folder) {
       MoveBehindLink(folder, "a.safetensors", "more/a");
     },
     kOk},
    {"I04_LinkToNothing",
     [](const TempDir& folder) {
       fs::remove(folder / "a.safetensors");
       fs::create_symlink("nowhere", folder / "a.safetensors");
     },
     kIo, "a.safetensors"},
    {"I05_MissingShards",
     [](const TempDir& folder) {
       fs::remove(folder / "a.safetensors");
       fs::remove(folder / "b.safetensors");
     },
     kIo,
     kIndex,
     {"2 of 2", "a.safetensors", "b.safetensors"}},
    {"I06_ShardLacksATensor",
     [](const TempDir& folder) {
       WriteIndex(folder, R"("u":"a.safetensors","v":"b.safetensors",)"
                          R"("w":"b.safetensors")");
     },
     kBad,
     kIndex,
     {"\"w\"", "lacks"}},
    {"I07_IndexOmitsATensor",
     [](const TempDir& folder) {
       WriteIndex(folder, R"("u":"a.safetensors","w":"b.safetensors")");
     },
     kBad,
     kIndex,
     {"1 tensors", "\"v\""}},
    {"I08_TensorInTwoShards",
     [](const TempDir& folder) { folder.Write("b.safetensors", Shard("u")); },
     kBad,
     kIndex,
     {"\"u\""}},
    {"I09_WrongTotalSize",
     [](const TempDir& folder) {
       WriteIndex(folder, R"("u":"a.safetensors","v":"b.safetensors")",
                  R"("metadata":{"total_size":9},)");
     },
     kOk,
     kIndex,
     {"total_size is 9"}},
    {"I14_OneShardIsCorrupt",
     [](const TempDir& folder) { folder.Write("b.safetensors", "oops"); },
     kBad,
     "b.safetensors",
     {"too short"}},
    {"I14_OneShardIsAFifo",
     [](const TempDir& folder) {
       fs::remove(folder / "b.safetensors");
       ASSERT_EQ(mkfifo((folder / "b.safetensors").c_str(), 0600), 0);
     },
     kIo,
     "b.safetensors",
     {"FIFO"}},
};

class BadShards : public ::testing::TestWithParam<FolderCase> {};

TEST_P(BadShards, AreRefusedInOneLineWithoutATrace) {
  const TempDir folder;
  folder.Write("a.safetensors", Shard("u"));
  folder.Write("b.safetensors", Shard("v"));
  WriteIndex(folder, R"("u":"a.safetensors","v":"b.safetensors")");
  GetParam().fill(folder);
  ExpectBoth(folder, kIndex, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Rows, BadShards, ::testing::ValuesIn(kShardCases),
                         NameOf);

// --- external data

// The small model, its first weight (60 bytes) in w.bin; with one thing more.
void WriteExternal(const TempDir& folder, const std::string& key = "",
                   const std::string& value = "") {
  OnnxBuilder model = SmallMlp();
  onnx::TensorProto& tensor = *model.graph().mutable_initializer(0);
  tensor.clear_raw_data();
  SetExternal(tensor, "location", "w.bin");
  if (!key.empty()) SetExternal(tensor, key, value);
  folder.Write("in.onnx", model.Bytes());
  folder.Write("w.bin", std::string(60, '1'));
}

const FolderCase kExternalCases[] = {
    {"O05_Sound", [](const TempDir& folder) { WriteExternal(folder); }, kOk},
    {"O05_SymbolicLink",
     [](const TempDir& folder) {
       WriteExternal(folder);
       MoveBehindLink(folder, "w.bin", "real.bin");
     },
     kBad,
     "in.onnx",
     {"fc1.weight", "symbolic link"}},
    {"O05_SymbolicLinkIsFollowedOnRequest",
     [](const TempDir& folder) {
       WriteExternal(folder);
       MoveBehindLink(folder, "w.bin", "real.bin");
     },
     kOk,
     "in.onnx",
     {},
     {"--follow-symlinks"}},
    {"O05_HardLink",
     [](const TempDir& folder) {
       WriteExternal(folder);
       fs::create_hard_link(folder / "w.bin", folder / "other");
     },
     kBad,
     "in.onnx",
     {"hard links"}},
    {"O05_Fifo",
     [](const TempDir& folder) {
       WriteExternal(folder);
       fs::remove(folder / "w.bin");
       ASSERT_EQ(mkfifo((folder / "w.bin").c_str(), 0600), 0);
     },
     kIo,
     "in.onnx",
     {"FIFO"}},
    {"O06_OffsetBeyondTheFile",
     [](const TempDir& folder) { WriteExternal(folder, "offset", "1"); },
     kBad,
     "in.onnx",
     {"1 + 60", "which has 60"}},
    {"O06_OffsetNearTheLargestNumber",
     [](const TempDir& folder) {
       WriteExternal(folder, "offset", "9223372036854775807");
     },
     kBad,
     "in.onnx",
     {"which has 60"}},
    {"O06_OtherLength",
     [](const TempDir& folder) { WriteExternal(folder, "length", "8"); },
     kBad,
     "in.onnx",
     {"8 bytes, expected 60"}},
    {"O07_UnknownKey",
     [](const TempDir& folder) { WriteExternal(folder, "colour\x1b", "red"); },
     kOk,
     "in.onnx",
     {"colour\\u001b"}},
    {"O14_WrongChecksum",
     [](const TempDir& folder) {
       WriteExternal(folder, "checksum", std::string(40, '0'));
     },
     kBad,
     "in.onnx",
     {"checksum", "w.bin"}},
};

class BadExternalData : public ::testing::TestWithParam<FolderCase> {};

TEST_P(BadExternalData, IsRefusedInOneLineWithoutATrace) {
  const TempDir folder;
  GetParam().fill(folder);
  ExpectBoth(folder, "in.onnx", GetParam());
}

INSTANTIATE_TEST_SUITE_P(Rows, BadExternalData,
                         ::testing::ValuesIn(kExternalCases), NameOf);

}  // namespace
}  // namespace rebasin
