#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/shard_index.h"
#include "rebasin/checkpoint.h"
#include "rebasin/error.h"
#include "support/bad_input.h"
#include "support/expect_error.h"
#include "support/expect_row.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class IndexText : public ::testing::TestWithParam<InputRow> {};

TEST_P(IndexText, IsReadOrRefusedAsStated) {
  const InputRow& row = GetParam();
  const TempDir dir;
  const auto path = dir.Write("m.safetensors.index.json", row.make());
  ExpectAsStated(row, path.native(), [&] { Checkpoint::Open(path); });
}

INSTANTIATE_TEST_SUITE_P(Rows, IndexText, ::testing::ValuesIn(IndexTextRows()),
                         [](const ::testing::TestParamInfo<InputRow>& row) {
                           return row.param.name;
                         });

// A file that holds the one tensor `name`.
std::string ShardWith(const std::string& name) {
  return File("{\"" + name +
                  "\":{\"dtype\":\"F32\",\"shape\":[1],"
                  "\"data_offsets\":[0,4]}}",
              "1234");
}

// Two shards, a.safetensors with "u" and b.safetensors with "v".
class Sharded : public ::testing::Test {
 protected:
  Sharded() {
    WriteShards(dir_.path());
    WriteIndex(R"("u":"a.safetensors","v":"b.safetensors")");
  }

  static void WriteShards(const fs::path& folder) {
    std::ofstream(folder / "a.safetensors") << ShardWith("u");
    std::ofstream(folder / "b.safetensors") << ShardWith("v");
  }

  void WriteIndex(const std::string& map, const std::string& more = "") {
    dir_.Write("m.safetensors.index.json",
               "{" + more + "\"weight_map\":{" + map + "}}");
  }

  Checkpoint Open(bool follow_symlinks = false) {
    return Checkpoint::Open(
        dir_ / "m.safetensors.index.json", {.follow_symlinks = follow_symlinks},
        {.warn = [&](const std::string& line) { warnings_.push_back(line); }});
  }

  void ExpectRefused(ErrorCode code, const std::vector<std::string>& says) {
    ExpectError(code, says, [&] { Open(); });
  }

  TempDir dir_;
  std::vector<std::string> warnings_;
};

TEST_F(Sharded, IsOneCheckpoint) {
  EXPECT_EQ(Open().tensors().size(), 2u);
  EXPECT_EQ(Checkpoint::Open(dir_.path()).tensors().size(), 2u);
  EXPECT_THAT(warnings_, ElementsAre());
}

TEST_F(Sharded, I04_LinkOutOfTheFolderIsRefused) {
  const TempDir elsewhere;
  WriteShards(elsewhere.path());
  fs::remove(dir_ / "a.safetensors");
  fs::create_symlink(elsewhere / "a.safetensors", dir_ / "a.safetensors");
  ExpectRefused(ErrorCode::kBadInput,
                {"a.safetensors", "symbolic link", "--follow-symlinks"});
  EXPECT_EQ(Open(/*follow_symlinks=*/true).tensors().size(), 2u);
}

TEST_F(Sharded, I04_LinkInsideTheFolderIsFollowed) {
  fs::rename(dir_ / "a.safetensors", dir_ / "real");
  fs::create_symlink("real", dir_ / "a.safetensors");
  EXPECT_EQ(Open().tensors().size(), 2u);
}

// models--x/{blobs, snapshots/REVISION} as huggingface_hub lays it out.
class HuggingFaceCache : public Sharded {
 protected:
  HuggingFaceCache() {
    fs::create_directories(blobs_);
    fs::create_directories(snapshot_);
    MoveToBlobs("a.safetensors");
    MoveToBlobs("b.safetensors");
    MoveToBlobs("m.safetensors.index.json");
  }

  void MoveToBlobs(const std::string& name) {
    fs::rename(dir_ / name, blobs_ / ("hash-" + name));
    fs::create_symlink("../../blobs/hash-" + name, snapshot_ / name);
  }

  Checkpoint OpenSnapshot() { return Checkpoint::Open(snapshot_); }

  fs::path blobs_ = dir_ / "models--x/blobs";
  fs::path snapshot_ = dir_ / "models--x/snapshots/0123abcd";
};

TEST_F(HuggingFaceCache, I04_LinksIntoTheCachesBlobsAreFollowed) {
  EXPECT_EQ(OpenSnapshot().tensors().size(), 2u);
}

TEST_F(HuggingFaceCache, I04_BlobsMayBeLinksToASharedStore) {
  fs::create_directories(dir_ / "store");
  fs::rename(blobs_ / "hash-a.safetensors", dir_ / "store/a");
  fs::create_symlink(dir_ / "store/a", blobs_ / "hash-a.safetensors");
  EXPECT_EQ(OpenSnapshot().tensors().size(), 2u);
}

TEST_F(HuggingFaceCache, I04_LinkThatMissesTheBlobsIsRefused) {
  const TempDir elsewhere;
  WriteShards(elsewhere.path());
  fs::remove(snapshot_ / "a.safetensors");
  fs::create_symlink(elsewhere / "a.safetensors", snapshot_ / "a.safetensors");
  EXPECT_THROW(OpenSnapshot(), Error);
}

TEST_F(HuggingFaceCache, I04_IndexThatIsNoLinkMakesNoCache) {
  fs::remove(snapshot_ / "m.safetensors.index.json");
  fs::copy(blobs_ / "hash-m.safetensors.index.json",
           snapshot_ / "m.safetensors.index.json");
  EXPECT_THROW(OpenSnapshot(), Error);
}

TEST_F(Sharded, I05_AllMissingShardsAreListed) {
  fs::remove(dir_ / "a.safetensors");
  fs::remove(dir_ / "b.safetensors");
  ExpectRefused(ErrorCode::kIo,
                {"2 of 2", "\"a.safetensors\"", "\"b.safetensors\""});
}

TEST_F(Sharded, I06_TensorThatItsShardLacksIsRefused) {
  WriteIndex(R"("u":"a.safetensors","v":"b.safetensors","w":"b.safetensors")");
  ExpectRefused(ErrorCode::kBadInput, {"\"b.safetensors\" lacks", "\"w\""});
}

TEST_F(Sharded, I07_TensorThatTheIndexOmitsIsRefused) {
  WriteIndex(R"("u":"a.safetensors","x":"b.safetensors")");
  ExpectRefused(ErrorCode::kBadInput,
                {"\"b.safetensors\" holds 1 tensors", "\"v\""});
}

TEST_F(Sharded, I08_TensorInTwoShardsIsRefused) {
  dir_.Write("b.safetensors",
             File(R"({"u":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                  R"("v":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                  "12"));
  ExpectRefused(ErrorCode::kBadInput,
                {"\"u\"", "\"a.safetensors\"", "\"b.safetensors\""});
}

TEST_F(Sharded, I09_WrongTotalSizeIsOnlyAWarning) {
  const std::string map = R"("u":"a.safetensors","v":"b.safetensors")";
  WriteIndex(map, R"("metadata":{"total_size":9},)");
  EXPECT_EQ(Open().tensors().size(), 2u);
  EXPECT_THAT(warnings_,
              ElementsAre(::testing::AllOf(HasSubstr("9"), HasSubstr("8"))));
  warnings_.clear();
  WriteIndex(map, R"("metadata":{"total_size":8.0},)");
  Open();
  EXPECT_THAT(warnings_, ElementsAre());
}

TEST_F(Sharded, I10_IndexOver100MegabytesIsRefusedUnread) {
  const auto path = dir_ / "m.safetensors.index.json";
  fs::resize_file(path, 200'000'000);
  ExpectRefused(ErrorCode::kLimit, {"200000000", "100000000"});
}

TEST_F(Sharded, I14_CorruptShardIsNamed) {
  dir_.Write("b.safetensors", "short");
  ExpectRefused(ErrorCode::kBadInput,
                {(dir_ / "b.safetensors").native(), "5 of 8"});
}

TEST(Folder, WithoutModelIsRefused) {
  const TempDir dir;
  ExpectError(ErrorCode::kIo, {"holds no .safetensors"},
              [&] { Checkpoint::Open(dir.path()); });
}

TEST(Folder, WithSeveralModelsAsksForOne) {
  const TempDir dir;
  dir.Write("a.safetensors", ShardWith("u"));
  EXPECT_EQ(Checkpoint::Open(dir.path()).tensors().size(), 1u);
  dir.Write("b.safetensors", ShardWith("u"));
  ExpectError(ErrorCode::kUsage, {"a.safetensors", "b.safetensors"},
              [&] { Checkpoint::Open(dir.path()); });
}

TEST(Folder, WithTheUsualNameIsReadByIt) {
  const TempDir dir;
  dir.Write("a.safetensors", ShardWith("u"));
  dir.Write("model.safetensors", ShardWith("v"));
  EXPECT_NE(Checkpoint::Open(dir.path()).Find("v"), nullptr);
}

TEST(Folder, WithShardsButNoIndexSaysSo) {
  const TempDir dir;
  dir.Write("model-00001-of-00002.safetensors", ShardWith("u"));
  dir.Write("model-00002-of-00002.safetensors", ShardWith("v"));
  try {
    Checkpoint::Open(dir.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("index"), std::string::npos) << error.hint();
  }
}

}  // namespace
}  // namespace rebasin
