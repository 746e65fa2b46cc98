#include "formats/npy.h"

#include <gtest/gtest.h>

#include "support/bad_input.h"
#include "support/expect_error.h"
#include "support/expect_row.h"
#include "support/npy_files.h"

namespace rebasin {
namespace {

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

Tensor Read(const std::string& file) {
  return ReadNpy(Bytes(file), nullptr, "x", "the file");
}

std::string Text(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes.data()),
          tensor.bytes.size()};
}

class Npy : public ::testing::TestWithParam<InputRow> {};

TEST_P(Npy, IsReadOrRefusedAsStated) { ExpectAsStated(GetParam(), Read); }

INSTANTIATE_TEST_SUITE_P(Rows, Npy, ::testing::ValuesIn(NpyRows()),
                         [](const auto& row) { return row.param.name; });

TEST(ReadNpy, LeavesPlainArraysInPlace) {
  const std::string file =
      NpyFile(NpyDictionary("<i2", "(2, 3)"), "aabbccddeeff");
  const Tensor tensor = Read(file);
  EXPECT_EQ(tensor.dtype, DType::kI16);
  EXPECT_EQ(tensor.shape, (Shape{2, 3}));
  EXPECT_EQ(Text(tensor), "aabbccddeeff");
  EXPECT_EQ(static_cast<const void*>(tensor.bytes.data() + 12),
            file.data() + file.size());
}

TEST(ReadNpy, N06_ReversesBigEndianElements) {
  const Tensor tensor = Read(NpyFile(NpyDictionary(">u4", "(2,)"), "abcdefgh"));
  EXPECT_EQ(Text(tensor), "dcbahgfe");
  const Tensor complex = Read(NpyFile(NpyDictionary(">c8", "()"), "abcdefgh"));
  EXPECT_EQ(Text(complex), "dcbahgfe");
}

Tensor ReadWithBf16(const std::string& type, const std::string& data) {
  const std::string file = NpyFile(NpyDictionary(type, "(2,)"), data);
  Tensor tensor =
      ReadNpy(Bytes(file), nullptr, "x", "the file", {.v2_is_bf16 = true});
  EXPECT_EQ(Text(tensor), "abcd");
  return tensor;
}

TEST(ReadNpy, N15_TakesTwoBytesForBfloat16IfAsked) {
  EXPECT_EQ(ReadWithBf16("<V2", "abcd").dtype, DType::kBF16);
  EXPECT_EQ(ReadWithBf16("|V2", "abcd").dtype, DType::kBF16);
  EXPECT_EQ(ReadWithBf16(">V2", "badc").dtype, DType::kBF16);
  EXPECT_EQ(ReadWithBf16("<f2", "abcd").dtype, DType::kF16);
}

TEST(ReadNpy, N15_TakesNoOtherVoidsForBfloat16) {
  for (const char* type : {"V2", "<V1", "<V3", "<V4", "<V20", "<V"}) {
    ExpectError(ErrorCode::kUnsupported, {type},
                [&] { ReadWithBf16(type, "abcd"); });
  }
}

// In Fortran order the first index runs fastest: element (i, j, k) of shape
// (2, 3, 2) lies at i + 2 j + 6 k.
TEST(ReadNpy, N07_TurnsFortranOrderIntoRowMajor) {
  const std::string file =
      NpyFile(NpyDictionary("|u1", "(2, 3, 2)", true), "abcdefghijkl");
  EXPECT_EQ(Text(Read(file)), "agciekbhdjfl");
}

TEST(ReadNpy, N07_HandlesBothOrdersAtOnce) {
  const std::string file =
      NpyFile(NpyDictionary(">u2", "(2, 2)", true), "abcdefgh");
  EXPECT_EQ(Text(Read(file)), "bafedchg");
}

}  // namespace
}  // namespace rebasin
