#include "formats/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "support/bad_input.h"
#include "support/expect_error.h"
#include "support/expect_row.h"
#include "support/gguf_files.h"
#include "support/temp_dir.h"
#include "support/zip_files.h"
#include "tensor/convert.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr uint32_t kQ8 = 8, kQ4K = 12;

struct Outcome {
  GgufContent content;
  std::vector<std::string> warnings;
};

Outcome ReadFile(const std::string& file, const OpenOptions& options = {},
                 int threads = 1) {
  Outcome read;
  const Run run{.threads = threads, .warn = [&](const std::string& line) {
                  read.warnings.push_back(line);
                }};
  read.content = ReadGguf(std::as_bytes(std::span(file)), nullptr, options, run,
                          "the file");
  return read;
}

std::string Bytes(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes.data()),
          tensor.bytes.size()};
}

class Gguf : public ::testing::TestWithParam<InputRow> {};

TEST_P(Gguf, IsReadOrRefusedAsStated) {
  ExpectAsStated(GetParam(), [](const std::string& file) { ReadFile(file); });
}

INSTANTIATE_TEST_SUITE_P(Rows, Gguf, ::testing::ValuesIn(GgufRows()),
                         [](const auto& row) { return row.param.name; });

TEST(ReadGguf, LeavesFloatsInTheFile) {
  const std::string file = GgufFile(
      {.tensors = {{.sizes = {3, 2}, .type = 30, .data = "abcdefghijkl"}},
       .pad_end = false});
  const Outcome read = ReadFile(file);
  const Tensor& tensor = read.content.tensors.at(0);
  EXPECT_EQ(tensor.name, "w");
  EXPECT_EQ(tensor.dtype, DType::kBF16);
  EXPECT_EQ(tensor.shape, (Shape{2, 3}));  // the file has the last axis first
  EXPECT_EQ(static_cast<const void*>(tensor.bytes.data() + 12),
            file.data() + file.size());
  EXPECT_THAT(read.warnings, IsEmpty());
}

TEST(ReadGguf, KeepsNumbersAndTextsOfTheMetadata) {
  const float half = 0.5F;
  uint32_t bits;
  std::memcpy(&bits, &half, sizeof bits);
  const std::string file =
      GgufFile({.tensors = {{.data = "12345678"}},
                .metadata = {{"text", GgufText("llama")},
                             {"u32", GgufU32(4'000'000'000)},
                             {"i8", Little(1, 4) + "\xFF"},
                             {"float", Little(6, 4) + Little(bits, 4)},
                             {"truth", Little(7, 4) + "\1"},
                             {"list", GgufArray(0, 3, "abc")}}});
  const Outcome read = ReadFile(file);
  EXPECT_THAT(
      read.content.metadata,
      UnorderedElementsAre(Pair("text", "llama"), Pair("u32", "4000000000"),
                           Pair("i8", "-1"), Pair("float", "0.5"),
                           Pair("truth", "true")));
  EXPECT_THAT(read.warnings,
              ElementsAre(AllOf(HasSubstr("left out"), HasSubstr("\"list\""))));
}

// Each block has a scale of its own: 2 and -0.5.
TEST(ReadGguf, MakesFloatsOfQ8) {
  std::string blocks;
  for (const float scale : {2.0F, -0.5F}) {
    blocks += Little(FloatToF16(scale), 2);
    for (int i = 0; i < 32; ++i) blocks += static_cast<char>(i * 8 - 128);
  }
  const Outcome read = ReadFile(
      GgufFile({.tensors = {{.sizes = {32, 2}, .type = kQ8, .data = blocks}}}));
  const Tensor& tensor = read.content.tensors.at(0);
  EXPECT_EQ(tensor.dtype, DType::kF32);
  EXPECT_EQ(tensor.shape, (Shape{2, 32}));
  std::array<float, 64> values;
  ReadFloats(tensor, 0, values);
  for (int i = 0; i < 64; ++i) {
    const auto q = static_cast<float>(i % 32 * 8 - 128);
    EXPECT_EQ(values[i], (i < 32 ? 2.0F : -0.5F) * q);
  }
  EXPECT_THAT(read.warnings,
              ElementsAre(HasSubstr("1 tensor of type Q8_0 read as F32")));
}

TEST(ReadGguf, Q8IsTheSameForAnyNumberOfThreads) {
  std::string blocks;
  for (int i = 0; i < 10'000 * 34; ++i) {
    blocks += static_cast<char>(i % 34 == 1 ? i % 64 : i * 7);
  }
  const std::string file = GgufFile(
      {.tensors = {{.sizes = {320, 1000}, .type = kQ8, .data = blocks}}});
  const Outcome one = ReadFile(file), four = ReadFile(file, {}, 4);
  EXPECT_EQ(Bytes(one.content.tensors[0]), Bytes(four.content.tensors[0]));
}

TEST(ReadGguf, LeavesOutWhatIsUnsupportedIfAsked) {
  const GgufPart quantised = {
      .name = "q", .sizes = {256}, .type = kQ4K, .data = std::string(144, 1)};
  const std::string file =
      GgufFile({.tensors = {quantised,
                            {.name = "strange", .type = 99, .data = "12345678"},
                            {.data = "12345678"}}});
  const Outcome read = ReadFile(file, {.skip_unsupported = true});
  ASSERT_EQ(read.content.tensors.size(), 1U);
  EXPECT_EQ(Bytes(read.content.tensors[0]), "12345678");
  EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("\"q\", \"strange\"")));
  ExpectError(ErrorCode::kMismatch, {"all of its tensors"}, [&] {
    ReadFile(GgufFile({.tensors = {quantised}}), {.skip_unsupported = true});
  });
}

TEST(ReadGguf, TensorsMayBeListedInAnyOrder) {
  const std::string file = GgufFile(
      {.tensors = {{.name = "second", .data = "aaaaaaaa", .offset = 32},
                   {.name = "first", .data = "bbbbbbbb", .offset = 0}}});
  const Outcome read = ReadFile(file);
  ASSERT_EQ(read.content.tensors.size(), 2U);
  EXPECT_EQ(read.content.tensors[0].name, "first");
  EXPECT_EQ(Bytes(read.content.tensors[0]), "aaaaaaaa");
}

TEST(ReadGguf, IsOpenedByItsContent) {
  const TempDir folder;
  const auto path = folder.Write(
      "model.bin", GgufFile({.tensors = {{.data = "12345678"}},
                             .metadata = {{"general.name", GgufText("x")}}}));
  const Checkpoint model = Checkpoint::Open(path);
  ASSERT_NE(model.Find("w"), nullptr);
  EXPECT_EQ(model.metadata().at("general.name"), "x");
}

}  // namespace
}  // namespace rebasin
