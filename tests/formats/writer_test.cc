#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "rebasin/checkpoint.h"
#include "rebasin/error.h"
#include "support/expect_error.h"
#include "support/limits.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Checkpoint OneTensor(float value = 1) {
  return Checkpoint({MakeTensor("w", {1}, std::vector<float>{value})});
}

TensorPlan Bytes(const std::string& name, int64_t size) {
  return {name, DType::kU8, {size}};
}

using Save = void (*)(const Checkpoint&, const fs::path&, const WriteOptions&,
                      const Run&);

class WriterProgress : public ::testing::TestWithParam<Save> {};

TEST_P(WriterProgress, GrowsToTheSizeOfTheModel) {
  const TempDir dir;
  const std::vector<float> values(3'000'000, 1);
  const Checkpoint model({MakeTensor("a", {3'000'000}, values),
                          MakeTensor("b", {1}, std::vector<float>{1})});
  int calls = 0;
  int64_t last = 0;
  const auto progress = [&](const Progress& now) {
    EXPECT_EQ(now.total, model.bytes());
    EXPECT_GE(now.done, last);
    last = now.done;
    ++calls;
  };
  GetParam()(model, dir / "m", {.shard_bytes = 1'000'000},
             {.progress = progress});
  EXPECT_EQ(last, model.bytes());
  EXPECT_GE(calls, 3);
}

INSTANTIATE_TEST_SUITE_P(Of, WriterProgress,
                         ::testing::Values(SaveCheckpoint, SaveTorch, SaveNpz));

TEST(Writer, F02_MissingFolderIsRefusedAtConstruction) {
  const TempDir dir;
  const auto path = dir / "none/m.safetensors";
  ExpectError(ErrorCode::kIo, {path.native(), "No such file"},
              [&] { CheckpointWriter writer(path, {Bytes("w", 1)}, {}); });
}

TEST(Writer, F02_FolderWithoutPermissionIsRefusedAtConstruction) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const TempDir dir;
  fs::permissions(dir.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THROW(CheckpointWriter(dir / "m.safetensors", {Bytes("w", 1)}, {}),
               Error);
  fs::permissions(dir.path(), fs::perms::owner_all);
}

TEST(Writer, F02_MoreThanTheDiskHoldsIsRefusedAtConstruction) {
  const TempDir dir;
  ExpectError(ErrorCode::kIo, {"reserve"}, [&] {
    CheckpointWriter writer(dir / "m.safetensors",
                            {Bytes("w", int64_t{1} << 50)}, {});
  });
  EXPECT_THAT(dir.Files(), IsEmpty());
}

TEST(Writer, F03_ExistingFileIsReplacedOnlyByForce) {
  const TempDir dir;
  const auto path = dir / "m.safetensors";
  SaveCheckpoint(OneTensor(1), path);
  const std::string before = ReadAll(path);
  ExpectError(ErrorCode::kUsage, {path.native(), "exists", "--force"},
              [&] { SaveCheckpoint(OneTensor(2), path); });
  EXPECT_EQ(ReadAll(path), before);
  SaveCheckpoint(OneTensor(2), path, {.force = true});
  EXPECT_NE(ReadAll(path), before);
  EXPECT_THAT(dir.Files(), ElementsAre("m.safetensors"));
}

TEST(Writer, F03_FileThatAppearsDuringTheWorkIsNotReplaced) {
  const TempDir dir;
  CheckpointWriter writer(dir / "m.safetensors", {}, {});
  dir.Write("m.safetensors", "somebody else's");
  ExpectError(ErrorCode::kUsage, {"exists"}, [&] { writer.Commit(); });
  EXPECT_EQ(ReadAll(dir / "m.safetensors"), "somebody else's");
}

TEST(Writer, F03_ExistingShardOrIndexIsRefused) {
  for (const char* name :
       {"m-00002-of-00002.safetensors", "m.safetensors.index.json"}) {
    const TempDir dir;
    dir.Write(name, "");
    ExpectError(ErrorCode::kUsage, {name}, [&] {
      CheckpointWriter writer(dir / "m.safetensors",
                              {Bytes("a", 1), Bytes("b", 1)}, {},
                              {.shard_bytes = 1});
    });
    EXPECT_THAT(dir.Files(), ElementsAre(name));
  }
}

TEST(Writer, OutputMayReplaceItsOwnInput) {
  const TempDir dir;
  const auto path = dir / "m.safetensors";
  SaveCheckpoint(OneTensor(3), path);
  const std::string before = ReadAll(path);
  SaveCheckpoint(Checkpoint::Open(path), path, {.force = true});
  EXPECT_EQ(ReadAll(path), before);
}

TEST(Writer, DestroyedWithoutCommitLeavesNothing) {
  const TempDir dir;
  {
    CheckpointWriter writer(dir / "m.safetensors",
                            {Bytes("a", 1), Bytes("b", 1)}, {},
                            {.shard_bytes = 1});
    writer.Append(std::vector<std::byte>(2));
    EXPECT_EQ(dir.Files().size(), 3u);  // two shards and the index
  }
  EXPECT_THAT(dir.Files(), IsEmpty());
}

TEST(Writer, F05_NullDeviceIsWrittenWithoutRename) {
  SaveCheckpoint(OneTensor(), "/dev/null");
  SaveCheckpoint(OneTensor(), "/dev/null", {.shard_bytes = 1});
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Writer, F05_FullDeviceIsAnIoError) {
  ExpectError(ErrorCode::kIo, {"/dev/full", "No space left"},
              [] { SaveCheckpoint(OneTensor(), "/dev/full"); });
}

TEST(Writer, F05_DirectoryIsRefused) {
  const TempDir dir;
  fs::create_directory(dir / "m.safetensors");
  for (bool force : {false, true}) {
    ExpectError(ErrorCode::kIo, {"a directory"}, [&] {
      SaveCheckpoint(OneTensor(), dir / "m.safetensors", {.force = force});
    });
  }
}

// Sets a limit on the size of files for one scope, SIGXFSZ ignored as the
// program does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes)
      : limit_(RLIMIT_FSIZE, bytes), handler_(std::signal(SIGXFSZ, SIG_IGN)) {}
  ~FileSizeLimit() { std::signal(SIGXFSZ, handler_); }

 private:
  LowerLimit limit_;
  void (*handler_)(int);
};

TEST(Writer, F07_FileSizeLimitIsAnIoError) {
  const TempDir dir;
  const FileSizeLimit limit(1 << 20);
  ExpectError(ErrorCode::kIo, {"m.safetensors", "File too large"}, [&] {
    CheckpointWriter writer(dir / "m.safetensors", {Bytes("w", 2 << 20)}, {});
    writer.Append(std::vector<std::byte>(2 << 20));
    writer.Commit();
  });
  EXPECT_THAT(dir.Files(), IsEmpty());
}

TEST(Writer, F21_FailureInShard3LeavesNoFile) {
  const TempDir dir;
  const FileSizeLimit limit(1 << 20);
  std::vector<TensorPlan> plan;
  for (const char* name : {"a", "b", "d", "e"}) plan.push_back(Bytes(name, 9));
  plan.insert(plan.begin() + 2, Bytes("c", 2 << 20));
  ExpectError(ErrorCode::kIo, {"m-00003-of-00005"}, [&] {
    CheckpointWriter writer(dir / "m.safetensors", plan, {},
                            {.shard_bytes = 9});
    writer.Append(std::vector<std::byte>(9 * 4 + (2 << 20)));
    writer.Commit();
  });
  EXPECT_THAT(dir.Files(), IsEmpty());
}

TEST(Writer, F21_ShardThatCannotBePublishedTakesTheOthersBack) {
  const TempDir dir;
  CheckpointWriter writer(dir / "m.safetensors", {Bytes("a", 1), Bytes("b", 1)},
                          {}, {.shard_bytes = 1});
  writer.Append(std::vector<std::byte>(2));
  dir.Write("m-00002-of-00002.safetensors", "somebody else's");
  ExpectError(ErrorCode::kUsage, {"m-00002"}, [&] { writer.Commit(); });
  EXPECT_FALSE(fs::exists(dir / "m-00001-of-00002.safetensors"));
  EXPECT_FALSE(fs::exists(dir / "m.safetensors.index.json"));
}

struct BadPlan {
  const char* name;
  std::vector<TensorPlan> plan;
  ErrorCode code;
};

TEST(Writer, RefusesPlansThatNoFileCanHold) {
  const TempDir dir;
  const int64_t huge = int64_t{1} << 62;
  const std::vector<BadPlan> plans = {
      {"empty name", {Bytes("", 1)}, ErrorCode::kBadInput},
      {"reserved", {Bytes("__metadata__", 1)}, ErrorCode::kBadInput},
      {"nul", {Bytes(std::string("a\0b", 3), 1)}, ErrorCode::kBadInput},
      {"not utf-8", {Bytes("\xFF", 1)}, ErrorCode::kBadInput},
      {"long", {Bytes(std::string(4097, 'n'), 1)}, ErrorCode::kLimit},
      {"negative", {Bytes("a", -1)}, ErrorCode::kBadInput},
      {"rank", {{"a", DType::kU8, Shape(17, 1)}}, ErrorCode::kLimit},
      {"overflow", {{"a", DType::kF64, {huge}}}, ErrorCode::kBadInput},
      {"twice", {Bytes("a", 1), {"a", DType::kF32, {1}}}, ErrorCode::kBadInput},
  };
  for (const BadPlan& bad : plans) {
    SCOPED_TRACE(bad.name);
    ExpectError(bad.code, {"cannot write"}, [&] {
      CheckpointWriter writer(dir / "m.safetensors", bad.plan, {});
    });
  }
  EXPECT_THROW(CheckpointWriter(dir / "m.safetensors", {}, {{"k", "\xFF"}}),
               Error);
  EXPECT_THAT(dir.Files(), IsEmpty());
}

TEST(Writer, RefusesToWriteASingleFileUnderTheNameOfAnIndex) {
  const TempDir dir;
  ExpectError(ErrorCode::kUsage, {"index"}, [&] {
    SaveCheckpoint(OneTensor(), dir / "m.safetensors.index.json");
  });
}

}  // namespace
}  // namespace rebasin
