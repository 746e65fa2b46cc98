#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <fstream>

#include "rebasin/checkpoint.h"
#include "rebasin/error.h"
#include "support/bad_input.h"
#include "support/expect_error.h"
#include "support/expect_row.h"
#include "support/sparse_file.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Safetensors : public ::testing::TestWithParam<InputRow> {};

TEST_P(Safetensors, IsReadOrRefusedAsStated) {
  const InputRow& row = GetParam();
  const TempDir dir;
  const auto path = dir.Write("m.safetensors", row.make());
  ExpectAsStated(row, path.native(), [&] { Checkpoint::Open(path); });
  EXPECT_THAT(dir.Files(), ElementsAre("m.safetensors"));
}

std::string RowName(const ::testing::TestParamInfo<InputRow>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Rows, Safetensors,
                         ::testing::ValuesIn(SafetensorsRows()), RowName);

TEST(SafetensorsFile, S06_HeaderOfExactlyTheLimitIsRead) {
  const TempDir dir;
  std::string header = "{}";
  header.resize(100'000'000, ' ');
  const auto path = dir.Write("m.safetensors", File(header));
  EXPECT_TRUE(Checkpoint::Open(path).tensors().empty());
}

TEST(SafetensorsFile, S17_UnknownFieldsAreReportedAndDropped) {
  const TempDir dir;
  const auto path =
      dir.Write("m.safetensors",
                File(R"({"w":{"x":[{"y":[1,null]}],"dtype":"F32","z":{"q":{}},)"
                     R"("shape":[1],"k":true,"data_offsets":[0,4],"n":-1}})",
                     "1234"));
  std::vector<std::string> warnings;
  const Checkpoint checkpoint = Checkpoint::Open(
      path, {},
      {.warn = [&](const std::string& line) { warnings.push_back(line); }});
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("\"k\""), HasSubstr("\"n\""),
                                    HasSubstr("\"x\""), HasSubstr("\"z\"")));
  SaveCheckpoint(checkpoint, dir / "out.safetensors");
  EXPECT_EQ(ReadAll(dir / "out.safetensors").find("\"x\""), std::string::npos);
}

TEST(SafetensorsFile, S35_NamesAreShownEscaped) {
  const TempDir dir;
  const auto path =
      dir.Write("m.safetensors",
                File("{\"a\\u001b\\n\\u202e\":{\"dtype\":\"F32\",\"shape\":[2],"
                     "\"data_offsets\":[0,4]}}",
                     "1234"));
  ExpectError(ErrorCode::kBadInput, {"\"a\\u001b\\n\\u202e\""},
              [&] { Checkpoint::Open(path); });
}

TEST(SafetensorsFile, S41_OffsetsBeyondFourGigabytesAreRead) {
  const TempDir dir;
  const int64_t big = int64_t{5} << 30;
  const std::string header =
      R"({"a":{"dtype":"U8","shape":[)" + std::to_string(big) +
      R"(],"data_offsets":[0,)" + std::to_string(big) +
      R"(]},"b":{"dtype":"U8","shape":[3],"data_offsets":[)" +
      std::to_string(big) + "," + std::to_string(big + 3) + "]}}";
  const std::string start = File(header);
  const auto path = WriteSparse(dir, "m.safetensors", start,
                                start.size() + static_cast<size_t>(big));
  std::ofstream(path, std::ios::binary | std::ios::app) << "xyz";
  const Checkpoint checkpoint = Checkpoint::Open(path);
  EXPECT_EQ(checkpoint.Find("a")->size(), big);
  EXPECT_EQ(checkpoint.Find("b")->bytes[2], std::byte{'z'});
}

TEST(SafetensorsFile, S43_FileRewrittenDuringTheRunIsNoticed) {
  const TempDir dir;
  const std::string content = File("{}");
  const auto path = dir.Write("m.safetensors", content);
  const Checkpoint checkpoint = Checkpoint::Open(path);
  EXPECT_NO_THROW(checkpoint.CheckUnchanged());
  const std::array<timespec, 2> times = {timespec{1, 0}, timespec{1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
  ExpectError(ErrorCode::kIo, {path.native(), "written to"},
              [&] { checkpoint.CheckUnchanged(); });
  EXPECT_THROW(SaveCheckpoint(checkpoint, dir / "out.safetensors"), Error);
  EXPECT_THAT(dir.Files(), ElementsAre("m.safetensors"));
}

TEST(SafetensorsFile, F22_ReplacedFileIsNoticedAndOldContentStays) {
  const TempDir dir;
  const std::string header =
      R"({"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})";
  const auto path = dir.Write("m.safetensors", File(header, "1234"));
  const Checkpoint checkpoint = Checkpoint::Open(path);
  std::filesystem::rename(dir.Write("new", File(header, "5678")), path);
  EXPECT_EQ(checkpoint.Find("w")->bytes[0], std::byte{'1'});
  ExpectError(ErrorCode::kIo, {"replaced"},
              [&] { checkpoint.CheckUnchanged(); });
}

TEST(SafetensorsFile, F01_WhatIsNoRegularFileIsRefusedAtOnce) {
  const TempDir dir;
  const auto fifo = dir / "fifo.safetensors";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  ExpectError(ErrorCode::kIo, {"a FIFO"}, [&] { Checkpoint::Open(fifo); });
  ExpectError(ErrorCode::kIo, {"character device"},
              [] { Checkpoint::Open("/dev/zero"); });
  ExpectError(ErrorCode::kIo, {"No such file"},
              [&] { Checkpoint::Open(dir / "none.safetensors"); });
}

}  // namespace
}  // namespace rebasin
