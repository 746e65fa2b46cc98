// Models that ask for much with little: time or memory that grows with a number
// in the file, or with the square of its parts.

#include <gtest/gtest.h>

#include "bad_inputs/trial.h"
#include "support/bad_input.h"
#include "support/npy_files.h"
#include "support/sparse_file.h"
#include "support/torch_files.h"

namespace rebasin {
namespace {

using testing::ExpectTrial;
using testing::kMebibyte;
using testing::Many;
using testing::Trial;

constexpr int kOk = 0, kBad = 3, kMismatch = 4, kLimit = 6;

// A file of this content is shown.
void ExpectShown(const std::string& file, const std::string& content,
                 Trial trial) {
  const TempDir folder;
  folder.Write(file, content);
  trial.args = {"inspect", file};
  trial.file = file;
  ExpectTrial(folder, trial);
}

std::string Times(int64_t count, const std::string& text) {
  std::string all;
  all.reserve(static_cast<size_t>(count) * text.size());
  for (int64_t i = 0; i < count; ++i) all += text;
  return all;
}

// Tensors of one byte, named by their numbers or all alike.
std::string OneByteTensors(int64_t count, bool alike = false) {
  std::string header = "{";
  for (int64_t i = 0; i < count; ++i) {
    const std::string begin = std::to_string(i), end = std::to_string(i + 1);
    header += (i == 0 ? "\"" : ",\"") + (alike ? "w" : begin) +
              R"(":{"dtype":"U8","shape":[],"data_offsets":[)" + begin + "," +
              end + "]}";
  }
  return File(header + "}", std::string(static_cast<size_t>(count), 'x'));
}

TEST(CostlySafetensors, AMillionTensorsAreShown) {
  ExpectShown("in.safetensors", OneByteTensors(Many(1'000'000)),
              {.exit_code = kOk, .memory = 600 * kMebibyte});
}

TEST(CostlySafetensors, MoreThanAMillionTensorsAreRefused) {
  ExpectShown("in.safetensors", OneByteTensors(1'000'001),
              {.exit_code = kLimit,
               .says = {"more than 1000000 tensors"},
               .memory = 600 * kMebibyte});
}

TEST(CostlySafetensors, S36_AMillionTimesTheSameNameIsFoundOutSoon) {
  ExpectShown("in.safetensors", OneByteTensors(Many(1'000'000), true),
              {.exit_code = kBad,
               .says = {"\"w\"", "twice"},
               .memory = 600 * kMebibyte});
}

TEST(CostlySafetensors, S15_MuchMetadataIsRefused) {
  std::string header = R"({"__metadata__":{"":"")";
  for (int i = 0; i < 100'000; ++i) {
    header += ",\"" + std::to_string(i) + "\":\"\"";
  }
  ExpectShown("in.safetensors", File(header + "}}"),
              {.exit_code = kLimit, .says = {"__metadata__", "100000"}});
}

TEST(CostlySafetensors, S06_AHeaderOfExactlyTheLimitIsRead) {
  constexpr size_t kMost = 100'000'000;
  ExpectShown("in.safetensors", File("{}" + std::string(kMost - 2, ' ')), {});
}

TEST(CostlySafetensors, S41_OffsetsBeyondFourGibibytesAreRead) {
  constexpr uintmax_t kData = 5'000'000'000;
  const std::string start = File(R"({"a":{"dtype":"U8","shape":[4999999996],)"
                                 R"("data_offsets":[0,4999999996]},)"
                                 R"("b":{"dtype":"F32","shape":[],)"
                                 R"("data_offsets":[4999999996,5000000000]}})");
  const TempDir folder;
  WriteSparse(folder, "in.safetensors", start, start.size() + kData);
  ExpectTrial(folder, {.args = {"inspect", "in.safetensors"},
                       .file = "in.safetensors"});
}

// An archive of arrays of 60 MiB, each deflated to a thousandth.
std::string ManySmallBombs(int count) {
  const std::string array = NpyFile(NpyDictionary("|u1", "(62914560,)"),
                                    std::string(62'914'560, '\0'));
  const std::string stored = Deflate(array);
  const uint32_t crc = Crc32(array);
  std::vector<ZipPart> parts;
  for (int i = 0; i < count; ++i) {
    parts.push_back({.name = std::to_string(i) + ".npy",
                     .content = stored,
                     .method = 8,
                     .crc = crc,
                     .size = array.size()});
  }
  return MakeZip(parts);
}

TEST(CostlyArchives, N10_ManySmallBombsAreOneLargeBomb) {
  ExpectShown("in.npz", ManySmallBombs(50),
              {.exit_code = kLimit,
               .says = {"entries would become"},
               .memory = 500 * kMebibyte});
}

TEST(CostlyArchives, N12_OddEntriesGiveNoFloodOfWarnings) {
  const std::string array = NpyFile(NpyDictionary("|u1", "(1,)"), "1");
  std::vector<ZipPart> parts = {{.name = "x.npy", .content = array}};
  for (int64_t i = 0; i < Many(60'000); ++i) {
    parts.push_back(
        {.name = "an entry that is no array, number " + std::to_string(i),
         .content = ""});
  }
  ExpectShown("in.npz", MakeZip(parts),
              {.exit_code = kOk, .says = {"left out", "more warnings"}});
}

// A PyTorch file whose pickle is deflated.
std::string Deflated(const std::string& opcodes) {
  return MakeZip({{.name = "model/data.pkl",
                   .content = pickled::Program(opcodes),
                   .deflated = true}});
}

TEST(CostlyPickles, OfManyValuesAreRefused) {
  ExpectShown("in.pt", Deflated(Times(60'000'000, ")")),
              {.exit_code = kLimit,
               .says = {"more than 5000000 values"},
               .memory = 700 * kMebibyte});
}

TEST(CostlyPickles, ALargeDictionaryUnderManyKeysIsSearchedOnce) {
  const int64_t count = Many(500'000);
  const std::string large = "}q\x01(" + Times(count, pickled::Text("a") + "N") +
                            "u0";  // kept, and gone from the stack
  ExpectShown("in.pt",
              Deflated(large + "}" + pickled::Text("k") + "q\x02" + "0(" +
                       Times(count, "h\x02h\x01") + "u"),
              {.exit_code = kMismatch,
               .says = {"no tensors"},
               .memory = 300 * kMebibyte});
}

TEST(CostlyPickles, KeysOfMegabytesAreNotPutTogether) {
  const std::string entries =
      Times(Many(200'000), "h\x02}");  // a dictionary each
  ExpectShown("in.pt",
              Deflated(pickled::Text("k") + "q\x02" + "0" + "}(" +
                       pickled::Text(std::string(20'000'000, 'x')) + "}(" +
                       entries + "uu"),
              {.exit_code = kMismatch,
               .says = {"no tensors"},
               .memory = 300 * kMebibyte});
}

}  // namespace
}  // namespace rebasin
