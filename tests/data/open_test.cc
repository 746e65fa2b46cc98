#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rebasin/nn/data.h"
#include "support/data_files.h"
#include "support/expect_error.h"
#include "support/npy_files.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

void ExpectRefused(const TempDir& dir, ErrorCode code,
                   std::vector<std::string> says) {
  says.push_back(dir.path().native());
  ExpectError(code, says, [&] { OpenData(dir.path()); });
}

void WriteIdx(const TempDir& dir, const std::string& part, int64_t images,
              const std::vector<uint8_t>& labels) {
  dir.Write(part + "-images-idx3-ubyte", IdxImages(images, 2, 3));
  dir.Write(part + "-labels-idx1-ubyte", IdxLabels(labels));
}

TEST(OpenData, ReadsIdxFolders) {
  const TempDir dir;
  WriteIdx(dir, "train", 3, {0, 4, 1});
  WriteIdx(dir, "t10k", 2, {1, 2});
  const DataSplits data = OpenData(dir.path());
  EXPECT_EQ(data.train.size(), 3);
  EXPECT_EQ(data.train.example_shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(data.train.label(1), 4);
  // The classes of both parts together.
  EXPECT_EQ(data.test.classes(), 5);
  EXPECT_EQ(data.test.name(), dir.path().filename().native() + " test");
}

TEST(OpenData, D03_ReadsGzipInFolders) {
  const TempDir dir;
  dir.Write("t10k-images-idx3-ubyte.gz", Gzip(IdxImages(2, 28, 28)));
  dir.Write("t10k-labels-idx1-ubyte", IdxLabels({0, 9}));
  const DataSplits data = OpenData(dir.path().native() + "/");
  EXPECT_TRUE(data.train.empty());
  EXPECT_EQ(data.test.name(), "MNIST test");
  EXPECT_EQ(data.test.classes(), 10);
}

TEST(OpenData, D05_RefusesIdxFilesOfDifferentCounts) {
  const TempDir dir;
  WriteIdx(dir, "train", 3, {0, 4});
  ExpectRefused(dir, ErrorCode::kMismatch, {"3 images", "2 labels"});
}

TEST(OpenData, D06_RefusesPartsOfDifferentShapes) {
  const TempDir dir;
  WriteIdx(dir, "train", 1, {0});
  dir.Write("t10k-images-idx3-ubyte", IdxImages(1, 3, 3));
  dir.Write("t10k-labels-idx1-ubyte", IdxLabels({0}));
  ExpectError(ErrorCode::kMismatch, {"[1, 2, 3]", "[1, 3, 3]"},
              [&] { OpenData(dir.path()); });
}

TEST(OpenData, D12_NamesTheMissingIdxFile) {
  const TempDir dir;
  dir.Write("train-images-idx3-ubyte", IdxImages(1, 2, 3));
  ExpectRefused(dir, ErrorCode::kIo, {"train-labels-idx1-ubyte"});
}

void WriteCifar10(const TempDir& dir, const std::string& folder) {
  for (int i = 1; i <= 5; ++i) {
    dir.Write(folder + "data_batch_" + std::to_string(i) + ".bin",
              CifarRecord(std::string(1, static_cast<char>(i)), 255));
  }
  dir.Write(folder + "test_batch.bin", CifarRecord("\x07", 0));
}

TEST(OpenData, ReadsCifar10Folders) {
  for (const std::string folder : {"", "cifar-10-batches-bin/"}) {
    const TempDir dir;
    if (!folder.empty()) std::filesystem::create_directory(dir / folder);
    WriteCifar10(dir, folder);
    const DataSplits data = OpenData(dir.path());
    EXPECT_EQ(data.train.name(), "CIFAR-10 train");
    EXPECT_EQ(data.train.size(), 5);
    EXPECT_EQ(data.train.label(4), 5);
    EXPECT_EQ(data.test.classes(), 10);
    EXPECT_EQ(data.test.example_shape(), (Shape{3, 32, 32}));
  }
}

TEST(OpenData, ReadsCifar100Folders) {
  const TempDir dir;
  dir.Write("train.bin", CifarRecord("\x01\x02", 1));
  dir.Write("test.bin", CifarRecord("\x01\x03", 1));
  const DataSplits data = OpenData(dir.path());
  EXPECT_EQ(data.train.name(), "CIFAR-100 train");
  EXPECT_EQ(data.test.label(0), 3);
  EXPECT_EQ(data.test.classes(), 100);
}

TEST(OpenData, D10_RefusesCifar100UnderNamesOfCifar10) {
  const TempDir dir;
  WriteCifar10(dir, "");
  dir.Write("data_batch_3.bin", CifarRecord("\x01\x02", 1));
  ExpectRefused(dir, ErrorCode::kBadInput, {"data_batch_3.bin", "CIFAR-100"});
}

TEST(OpenData, D11_RefusesThePythonVersion) {
  for (const std::string name : {"data_batch_1", "data_batch_1.bin"}) {
    const TempDir dir;
    if (name.ends_with(".bin")) WriteCifar10(dir, "");
    dir.Write(name, "\x80\x02}q\x01");
    ExpectRefused(dir, ErrorCode::kUnsupported, {name, "binary version"});
  }
}

TEST(OpenData, D12_ListsMissingBatches) {
  const TempDir dir;
  WriteCifar10(dir, "");
  std::filesystem::remove(dir / "data_batch_2.bin");
  std::filesystem::remove(dir / "test_batch.bin");
  ExpectRefused(dir, ErrorCode::kIo, {"data_batch_2.bin, test_batch.bin"});
}

TEST(OpenData, D12_RefusesFoldersWithoutData) {
  const TempDir dir;
  ExpectRefused(dir, ErrorCode::kIo, {"no known data set", "MNIST"});
  ExpectError(ErrorCode::kIo, {"No such file"},
              [&] { OpenData(dir / "nothing"); });
}

TEST(OpenData, D12_RefusesFoldersInThePlaceOfFiles) {
  const TempDir dir;
  WriteCifar10(dir, "");
  std::filesystem::remove(dir / "data_batch_2.bin");
  std::filesystem::create_directory(dir / "data_batch_2.bin");
  ExpectRefused(dir, ErrorCode::kIo, {"data_batch_2.bin", "a directory"});
}

TEST(OpenData, RefusesFoldersWithTwoDataSets) {
  const TempDir dir;
  WriteCifar10(dir, "");
  WriteIdx(dir, "train", 1, {0});
  ExpectRefused(dir, ErrorCode::kUsage, {"IDX", "CIFAR-10"});
}

std::string SmallNpz(const std::string& labels) {
  return NpzFile(
      NpyFile(NpyDictionary("|u1", "(2, 3)"), "abcdef"),
      labels.empty() ? "" : NpyFile(NpyDictionary("|u1", "(2,)"), labels));
}

TEST(OpenData, ReadsNpzFolders) {
  const TempDir dir;
  dir.Write("train.npz", SmallNpz(std::string("\0\3", 2)));
  dir.Write("test.npz", SmallNpz(std::string("\0\1", 2)));
  const DataSplits data = OpenData(dir.path());
  EXPECT_EQ(data.train.size(), 2);
  EXPECT_EQ(data.train.name(), "train.npz");
  EXPECT_EQ(data.test.classes(), 4);
}

TEST(OpenData, TakesSingleFilesForTests) {
  const TempDir dir;
  const DataSplits npz = OpenData(dir.Write("blobs.npz", SmallNpz("")));
  EXPECT_TRUE(npz.train.empty());
  EXPECT_EQ(npz.test.name(), "blobs.npz");
  EXPECT_FALSE(npz.test.has_labels());
  EXPECT_EQ(npz.test.classes(), 0);
  const DataSplits bin =
      OpenData(dir.Write("some.bin", CifarRecord("\x01\x02", 1)));
  EXPECT_TRUE(bin.train.empty());
  EXPECT_EQ(bin.test.name(), "CIFAR-100 test");
}

TEST(OpenData, RefusesSingleFilesThatAreNoDataSet) {
  const TempDir dir;
  ExpectError(ErrorCode::kUnsupported, {"part of a data set", "folder"}, [&] {
    OpenData(dir.Write("train-images-idx3-ubyte", IdxImages(1, 2, 2)));
  });
  ExpectError(ErrorCode::kBadInput, {"not a zip archive"},
              [&] { OpenData(dir.Write("a.npz", "hello")); });
  ExpectError(ErrorCode::kBadInput, {"neither CIFAR-10"},
              [&] { OpenData(dir.Write("a.bin", "hello")); });
}

TEST(OpenData, ReadsTheDigitsThatComeAlong) {
  const DataSplits data = OpenData(DIGITS_FOLDER);
  EXPECT_EQ(data.train.size(), 1437);
  EXPECT_EQ(data.test.size(), 360);
  EXPECT_EQ(data.train.name(), "digits train");
  EXPECT_EQ(data.train.example_shape(), (Shape{1, 8, 8}));
  EXPECT_EQ(data.train.classes(), 10);
  EXPECT_EQ(DefaultNormalization(data.train), "none");
  // The first image: a zero; row 0 is 0 0 5 13 9 1 0 0.
  EXPECT_EQ(data.train.label(0), 0);
  std::vector<float> image(64);
  ReadBatch(data.train, {}, 0, 1, image, nullptr);
  EXPECT_EQ(image[2], 75 / 255.0f);
  EXPECT_EQ(image[3], 195 / 255.0f);
}

}  // namespace
}  // namespace rebasin
