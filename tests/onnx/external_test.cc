// Data in files of its own, and whom such files may not lead to.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "io/file.h"
#include "onnx/onnx.h"
#include "onnx/sha1.h"
#include "support/expect_error.h"
#include "support/onnx_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kBad = ErrorCode::kBadInput;

const std::string kData = [] {
  std::string data(4, 'x');
  for (float value : {1.5f, -2.0f, 3.0f}) {
    data.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return data;
}();

// A model whose only weight lies in `location`, from byte 4 on.
class ExternalData : public ::testing::Test {
 protected:
  ExternalData() { tensor_ = &builder_.Tensor("w", {3}, 1); }

  void Place(const std::string& location) {
    SetExternal(*tensor_, "location", location);
    SetExternal(*tensor_, "offset", "4");
  }

  OnnxModel Read(const OnnxOptions& options = {}) {
    return ReadOnnx(dir_.Write("m.onnx", builder_.Bytes()), options);
  }

  void ExpectRefusal(ErrorCode code, std::vector<std::string> says) {
    says.push_back("m.onnx");
    says.push_back("\"w\"");
    ExpectError(code, says, [&] { Read(); });
  }

  TempDir dir_;
  OnnxBuilder builder_;
  onnx::TensorProto* tensor_;
};

TEST_F(ExternalData, IsMapped) {
  fs::create_directory(dir_ / "data");
  dir_.Write("data/w.bin", kData);
  Place("data/w.bin");
  SetExternal(*tensor_, "length", "12");
  const OnnxModel model = Read();
  EXPECT_THAT(FloatsInPlace(model.weights.tensors()[0]),
              ElementsAre(1.5, -2, 3));
  fs::resize_file(dir_ / "data/w.bin", 100);
  EXPECT_THROW(model.weights.CheckUnchanged(), Error);
}

TEST_F(ExternalData, O06_MustLieInsideTheFile) {
  dir_.Write("w.bin", kData.substr(0, 15));
  Place("w.bin");
  ExpectRefusal(kBad, {"w.bin", "which has 15"});
}

TEST_F(ExternalData, O06_MustHaveTheSizeOfTheTensor) {
  dir_.Write("w.bin", kData);
  Place("w.bin");
  SetExternal(*tensor_, "length", "8");
  ExpectRefusal(kBad, {"8 bytes, expected 12"});
}

TEST_F(ExternalData, O07_UnknownKeysAreIgnoredWithAWarning) {
  dir_.Write("w.bin", kData);
  Place("w.bin");
  SetExternal(*tensor_, "colour", "red");
  EXPECT_THAT(Read().warnings, ElementsAre(HasSubstr("colour")));
}

// A file can be odd every few bytes, and each line names the file.
TEST_F(ExternalData, WarningsEndWhenNobodyReadsThemAnyMore) {
  dir_.Write("w.bin", kData);
  Place("w.bin");
  for (int i = 0; i < 1000; ++i) {
    SetExternal(*tensor_, "key" + std::to_string(i), "");
  }
  const auto warnings = Read().warnings;
  ASSERT_EQ(warnings.size(), 101);
  EXPECT_THAT(warnings[99], HasSubstr("key99"));
  EXPECT_THAT(warnings[100], HasSubstr("left out"));
}

TEST_F(ExternalData, O14_ChecksumsAreChecked) {
  dir_.Write("w.bin", kData);
  Place("w.bin");
  SetExternal(*tensor_, "checksum", Sha1(std::as_bytes(std::span(kData))));
  EXPECT_NO_THROW(Read());
  tensor_->mutable_external_data(2)->set_value(std::string(40, '0'));
  ExpectRefusal(kBad, {"checksum", "w.bin"});
}

TEST_F(ExternalData, O05_SymbolicLinksAreRefusedUnlessAllowed) {
  dir_.Write("real.bin", kData);
  fs::create_symlink("real.bin", dir_ / "w.bin");
  Place("w.bin");
  ExpectRefusal(kBad, {"symbolic link"});
  EXPECT_NO_THROW(Read({.follow_symlinks = true}));
}

TEST_F(ExternalData, O05_FoldersBehindLinksAreRefused) {
  const TempDir elsewhere;
  elsewhere.Write("w.bin", kData);
  fs::create_symlink(elsewhere.path(), dir_ / "data");
  Place("data/w.bin");
  ExpectRefusal(kBad, {"symbolic link"});
}

TEST_F(ExternalData, O05_HardLinksAreRefused) {
  dir_.Write("real.bin", kData);
  fs::create_hard_link(dir_ / "real.bin", dir_ / "w.bin");
  Place("w.bin");
  ExpectRefusal(kBad, {"hard links"});
}

TEST_F(ExternalData, O05_FifosAreRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo((dir_ / "w.bin").c_str(), 0600), 0);
  Place("w.bin");
  ExpectRefusal(ErrorCode::kIo, {"FIFO"});
}

TEST_F(ExternalData, MayLieInACacheOfDownloads) {
  const TempDir cache;
  fs::create_directories(cache / "blobs");
  fs::create_directories(cache / "snapshots/1");
  Place("m.onnx_data");
  cache.Write("blobs/aa", builder_.Bytes());
  cache.Write("blobs/bb", kData);
  fs::create_symlink("../../blobs/aa", cache / "snapshots/1/m.onnx");
  fs::create_symlink("../../blobs/bb", cache / "snapshots/1/m.onnx_data");
  const OnnxModel model = ReadOnnx(cache / "snapshots/1/m.onnx");
  EXPECT_EQ(model.weights.tensors().size(), 1);
}

// A kernel without openat2.
class OldSystem : public System {
 public:
  int OpenBeneath(int, const char*) const override {
    errno = ENOSYS;
    return -1;
  }
};

TEST(OpenBeneath, WorksOnOldKernels) {
  const TempDir dir;
  fs::create_directory(dir / "a");
  dir.Write("a/b", "1234");
  fs::create_symlink("a", dir / "link");
  const OldSystem system;
  EXPECT_EQ(OpenBeneath(dir.path(), "a/b", system).identity.size, 4);
  EXPECT_THROW(OpenBeneath(dir.path(), "link/b", system), Error);
  EXPECT_THROW(OpenBeneath(dir.path(), "a/absent", system), Error);
}

}  // namespace
}  // namespace rebasin
