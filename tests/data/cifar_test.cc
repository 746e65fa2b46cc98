#include "data/cifar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/data_files.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;

Examples Read(const std::string& file, Cifar cifar) {
  Examples images;
  AppendCifar(AsBytes(file), cifar, "the file", images);
  return images;
}

TEST(Cifar, ReadsLabelAndPixelsOfEachRecord) {
  const Examples images =
      Read(CifarRecord("\x03", 7) + CifarRecord("\x09", 8), Cifar::k10);
  EXPECT_THAT(images.labels, ElementsAre(3, 9));
  ASSERT_EQ(images.bytes.size(), 2 * 3072);
  EXPECT_EQ(images.bytes[3071], 7);
  EXPECT_EQ(images.bytes[3072], 8);
}

TEST(Cifar, TakesTheFineLabelOfCifar100) {
  const Examples images = Read(
      CifarRecord("\x13\x63", 7) + CifarRecord("\x01\x02", 8), Cifar::k100);
  EXPECT_THAT(images.labels, ElementsAre(99, 2));
  EXPECT_EQ(images.bytes[0], 7);
}

TEST(Cifar, AppendsFileAfterFile) {
  Examples images;
  for (const uint8_t i : {1, 2}) {
    const std::string file = CifarRecord(std::string(1, i), i);
    AppendCifar(AsBytes(file), Cifar::k10, "file", images);
  }
  EXPECT_THAT(images.labels, ElementsAre(1, 2));
}

TEST(Cifar, D07_RefusesFilesWithoutImages) {
  ExpectError(ErrorCode::kMismatch, {"the file", "no images"},
              [] { Read("", Cifar::k10); });
}

TEST(Cifar, D09_RefusesSizesThatAreNoWholeNumberOfRecords) {
  const std::string file = CifarRecord("\x03", 7);
  ExpectError(ErrorCode::kBadInput, {"the file", "3072 bytes", "3073 bytes"},
              [&] { Read(file.substr(1), Cifar::k10); });
  ExpectError(ErrorCode::kBadInput, {"3075 bytes", "3074 bytes"},
              [&] { Read(file + "xx", Cifar::k100); });
}

TEST(Cifar, D10_TellsTheOtherKindBySize) {
  ExpectError(ErrorCode::kBadInput, {"the size of a CIFAR-100 file"},
              [] { Read(CifarRecord("\x03\x04", 7), Cifar::k10); });
  ExpectError(ErrorCode::kBadInput, {"the size of a CIFAR-10 file"},
              [] { Read(CifarRecord("\x03", 7), Cifar::k100); });
}

// 3074 records of CIFAR-10 have the size of 3073 of CIFAR-100.
std::string FileThatFitsBoth(Cifar cifar) {
  std::string file;
  const bool ten = cifar == Cifar::k10;
  for (int i = 0; i < (ten ? 3074 : 3073); ++i) {
    file += CifarRecord(ten ? "\x05" : "\x12\x37", 200);
  }
  return file;
}

TEST(Cifar, D10_TellsTheOtherKindByLabelsWhereSizesFitBoth) {
  const std::string ten = FileThatFitsBoth(Cifar::k10);
  const std::string hundred = FileThatFitsBoth(Cifar::k100);
  ASSERT_EQ(ten.size(), hundred.size());
  EXPECT_EQ(RecogniseCifar(AsBytes(ten), "file"), Cifar::k10);
  EXPECT_EQ(RecogniseCifar(AsBytes(hundred), "file"), Cifar::k100);
  ExpectError(ErrorCode::kBadInput, {"record 0", "label 18", "less than 10"},
              [&] { Read(hundred, Cifar::k10); });
  ExpectError(ErrorCode::kBadInput, {"record 0", "label 200"},
              [&] { Read(ten, Cifar::k100); });
}

TEST(Cifar, IsRecognisedBySize) {
  const std::string ten = CifarRecord("\x03", 7);
  const std::string hundred = CifarRecord("\x03\x04", 7);
  EXPECT_EQ(RecogniseCifar(AsBytes(ten), "file"), Cifar::k10);
  EXPECT_EQ(RecogniseCifar(AsBytes(hundred), "file"), Cifar::k100);
  ExpectError(ErrorCode::kBadInput, {"neither CIFAR-10", "nor CIFAR-100"},
              [&] { RecogniseCifar(AsBytes(ten).subspan(1), "file"); });
}

TEST(Cifar, D11_NeverUnpickles) {
  ExpectError(ErrorCode::kUnsupported, {"pickle", "binary version"},
              [] { Read("\x80\x02}q", Cifar::k10); });
}

}  // namespace
}  // namespace rebasin
