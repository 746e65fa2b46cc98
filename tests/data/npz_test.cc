#include "data/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/bad_input.h"
#include "support/data_files.h"
#include "support/expect_error.h"
#include "support/expect_row.h"
#include "support/npy_files.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;

Examples Read(const std::string& file) {
  return ReadNpz(AsBytes(file), "the file");
}

std::string Array(const std::string& type, const std::string& shape,
                  const std::string& data) {
  return NpyFile(NpyDictionary(type, shape), data);
}

class Npz : public ::testing::TestWithParam<InputRow> {};

TEST_P(Npz, IsReadOrRefusedAsStated) { ExpectAsStated(GetParam(), Read); }

INSTANTIATE_TEST_SUITE_P(Rows, Npz, ::testing::ValuesIn(NpzRows()),
                         [](const auto& row) { return row.param.name; });

TEST(ReadNpz, TakesTheFirstAxisForTheExamples) {
  const std::string data = CountingBytes(24);
  const auto shape_of = [&](const std::string& shape) {
    return Read(NpzFile(Array("|u1", shape, data), "")).shape;
  };
  EXPECT_EQ(shape_of("(24,)"), Shape{1});
  EXPECT_EQ(shape_of("(2, 12)"), Shape{12});
  EXPECT_EQ(shape_of("(2, 3, 4)"), (Shape{1, 3, 4}));
  EXPECT_EQ(shape_of("(2, 2, 3, 2)"), (Shape{2, 3, 2}));
  EXPECT_EQ(shape_of("(2, 2, 3, 2, 1)"), (Shape{2, 3, 2, 1}));
}

TEST(ReadNpz, ReadsFloatsOfEitherWidthAndByteOrder) {
  // 1.5 and -2
  const std::string f4 = Little(0x3FC00000, 4) + Little(0xC0000000, 4);
  const std::string f8 =
      Big(0x3FF8000000000000, 8) + Big(0xC000000000000000, 8);
  for (const auto& x : {Array("<f4", "(2,)", f4), Array(">f8", "(2,)", f8)}) {
    const Examples examples = Read(NpzFile(x, ""));
    EXPECT_THAT(examples.floats, ElementsAre(1.5f, -2.0f));
    EXPECT_TRUE(examples.labels.empty());
  }
}

TEST(ReadNpz, ReadsLabelsOfEveryIntegerType) {
  const std::string x = Array("|u1", "(2,)", "12");
  for (const int bytes : {1, 2, 4, 8}) {
    for (const std::string kind : {"u", "i"}) {
      const std::string type = (bytes == 1 ? "|" : "<") + kind;
      const std::string y = Array(type + std::to_string(bytes), "(2,)",
                                  Little(100, bytes) + Little(7, bytes));
      EXPECT_THAT(Read(NpzFile(x, y)).labels, ElementsAre(100, 7));
    }
  }
}

TEST(ReadNpz, N12_WarnsOfEntriesThatAreNoArrays) {
  const std::string x = Array("|u1", "(2,)", "12");
  const std::string file = MakeZip({{.name = "README", .content = "hello"},
                                    {.name = "folder/", .content = ""},
                                    {.name = "folder/z.npy", .content = "?"},
                                    {.name = ".npy", .content = x},
                                    {.name = "x.npy", .content = x}});
  std::vector<std::string> warnings;
  const Examples examples = ReadNpz(
      AsBytes(file), "the file",
      {.warn = [&](const std::string& line) { warnings.push_back(line); }});
  EXPECT_EQ(examples.bytes.size(), 2u);
  EXPECT_THAT(
      warnings,
      ElementsAre("the file: entry \"README\" is not an array, and is skipped",
                  "the file: entry \".npy\" is not an array, and is skipped"));
}

TEST(ReadNpz, N15_TakesTwoBytesForBfloat16IfAsked) {
  // 1.5 and -2
  const std::string file =
      NpzFile(Array("<V2", "(2,)", Little(0x3FC0, 2) + Little(0xC000, 2)), "");
  ExpectError(ErrorCode::kUnsupported, {"--npy-bf16"}, [&] { Read(file); });
  const Examples examples =
      ReadNpz(AsBytes(file), "the file", {.arrays = {.v2_is_bf16 = true}});
  EXPECT_THAT(examples.floats, ElementsAre(1.5f, -2.0f));
}

}  // namespace
}  // namespace rebasin
