#include "support/bad_input.h"
#include "support/gguf_files.h"
#include "support/zip_files.h"

namespace rebasin {
namespace {

using enum ErrorCode;

constexpr uint32_t kF16 = 1, kQ8 = 8, kQ4K = 12, kBf16 = 30;
constexpr const char* kTwoFloats = "12345678";

InputRow Bytes(const std::string& name, const std::string& content,
               std::optional<ErrorCode> error,
               std::vector<std::string> says = {}) {
  return {name, [content] { return content; }, error, std::move(says)};
}

InputRow Row(const std::string& name, const GgufParts& parts,
             std::optional<ErrorCode> error,
             std::vector<std::string> says = {}) {
  return Bytes(name, GgufFile(parts), error, std::move(says));
}

// One tensor of two floats, and one key with this value.
InputRow Value(const std::string& name, const std::string& value,
               std::optional<ErrorCode> error,
               std::vector<std::string> says = {}) {
  return Row(name,
             {.tensors = {{.data = kTwoFloats}}, .metadata = {{"key", value}}},
             error, std::move(says));
}

InputRow TensorRow(const std::string& name, const GgufPart& part,
                   std::optional<ErrorCode> error,
                   std::vector<std::string> says = {}) {
  return Row(name, {.tensors = {part}}, error, std::move(says));
}

std::vector<InputRow> FrameRows() {
  const GgufParts sound = {.tensors = {{.data = kTwoFloats}}};
  GgufParts version2 = sound, version1 = sound, big = sound, many = sound;
  version2.version = 2;
  version1.version = 1;
  big.version = 0x03000000;
  many.tensor_count = 1'000'001;
  GgufParts more = sound, keys = sound, unpadded = sound;
  more.tensor_count = 2;
  keys.metadata_count = 100'001;
  unpadded.pad_end = false;
  const std::string file = GgufFile(sound);
  return {
      Row("U00_Version3", sound, std::nullopt),
      Row("U00_Version2", version2, std::nullopt),
      Row("U00_LastPaddingLeftOut", unpadded, std::nullopt),
      Bytes("U01_OnlyMark", "GGUF", kBadInput, {"truncated", "the version"}),
      Bytes("U01_HeaderCut", file.substr(0, 30), kBadInput, {"truncated"}),
      Row("U01_Version1", version1, kUnsupported, {"version 1, not 2 or 3"}),
      Row("U01_BigEndian", big, kUnsupported, {"big-endian"}),
      Row("U02_ManyTensors", many, kLimit, {"1000001 tensors"}),
      Row("U02_TensorMissing", more, kBadInput),
      Row("U02_ManyKeys", keys, kLimit, {"100001 metadata"}),
  };
}

std::vector<InputRow> MetadataRows() {
  const GgufPart tensor = {.data = kTwoFloats};
  std::string nested;
  for (int i = 0; i < 5; ++i) nested += Little(9, 4) + Little(1, 8);
  return {
      Value("U00_Text", GgufText("a text"), std::nullopt),
      Value("U00_Array", GgufArray(5, 2, "12345678"), std::nullopt),
      Value("U00_Texts", GgufArray(8, 2, Little(1, 8) + "a" + Little(0, 8)),
            std::nullopt),
      Value("U00_Arrays", GgufArray(9, 1, Little(0, 4) + Little(2, 8) + "ab"),
            std::nullopt),
      Value("U03_UnknownKind", Little(13, 4), kBadInput,
            {"\"key\"", "no value type 13"}),
      Value("U03_TruthIsTwo", Little(7, 4) + "\2", kBadInput, {"not 2"}),
      Value("U03_NotUtf8", GgufText("\xFF"), kBadInput, {"\"key\"", "UTF-8"}),
      Value("U03_Nul", GgufText(std::string(1, '\0')), kBadInput, {"NUL"}),
      Value("U03_LongText", Little(8, 4) + Little(~0ULL, 8), kBadInput,
            {"truncated", "\"key\""}),
      Value("U03_LongArray", GgufArray(10, 1ULL << 61, ""), kBadInput,
            {"does not fit"}),
      Value("U03_ManyTexts", GgufArray(8, ~0ULL, ""), kBadInput),
      Value("U03_DeepArrays", GgufArray(9, 1, nested), kLimit, {"4 levels"}),
      Row("U03_KeyTwice",
          {.tensors = {tensor},
           .metadata = {{"a", GgufU32(1)}, {"a", GgufU32(2)}}},
          kBadInput, {"\"a\"", "twice"}),
      Row("U03_EmptyKey", {.tensors = {tensor}, .metadata = {{"", GgufU32(1)}}},
          kBadInput, {"empty"}),
      Row("U03_LongKey",
          {.tensors = {tensor},
           .metadata = {{std::string(4097, 'k'), GgufU32(1)}}},
          kLimit, {"4096"}),
      Row("U04_Alignment64",
          {.tensors = {tensor, {.name = "v", .data = kTwoFloats}},
           .metadata = {{"general.alignment", GgufU32(64)}},
           .alignment = 64},
          std::nullopt),
      Row("U04_AlignmentIsZero",
          {.tensors = {tensor},
           .metadata = {{"general.alignment", GgufU32(0)}}},
          kBadInput, {"general.alignment", "multiple of 8"}),
      Row("U04_AlignmentIsOdd",
          {.tensors = {tensor},
           .metadata = {{"general.alignment", GgufU32(33)}}},
          kBadInput, {"multiple of 8"}),
      Row("U04_AlignmentIsText",
          {.tensors = {tensor},
           .metadata = {{"general.alignment", GgufText("32")}}},
          kBadInput, {"U32"}),
  };
}

std::vector<InputRow> TensorRows() {
  const std::string blocks(34, '\1');
  const uint64_t huge = 1ULL << 62;
  return {
      TensorRow("U00_Q8", {.sizes = {32}, .type = kQ8, .data = blocks},
                std::nullopt),
      TensorRow("U00_Bf16", {.sizes = {2}, .type = kBf16, .data = "1234"},
                std::nullopt),
      TensorRow("U00_Scalar", {.sizes = {}, .data = "1234"}, std::nullopt),
      TensorRow("U00_NoElements", {.sizes = {0, 3}}, std::nullopt),
      TensorRow("U05_EmptyName", {.name = "", .data = kTwoFloats}, kBadInput,
                {"empty name"}),
      TensorRow("U05_NameNotUtf8", {.name = "\xC3", .data = kTwoFloats},
                kBadInput, {"UTF-8"}),
      TensorRow("U05_LongName",
                {.name = std::string(4097, 'n'), .data = kTwoFloats}, kLimit,
                {"4096"}),
      Row("U05_NameTwice",
          {.tensors = {{.data = kTwoFloats}, {.data = kTwoFloats}}}, kBadInput,
          {"\"w\"", "twice"}),
      TensorRow("U06_ManyAxes",
                {.sizes = std::vector<uint64_t>(17, 1), .data = "1234"}, kLimit,
                {"\"w\" has 17 axes"}),
      TensorRow("U06_AxisBeyond63Bits", {.sizes = {~0ULL}}, kBadInput,
                {"2^63 - 1"}),
      TensorRow("U06_Overflow", {.sizes = {huge, 4}}, kBadInput,
                {"\"w\"", "overflows"}),
      TensorRow("U06_OverflowBesideZero", {.sizes = {huge, 4, 0}}, kBadInput,
                {"overflows"}),
      TensorRow("U06_BitsOverflowBesideZero", {.sizes = {1ULL << 60, 0}},
                kBadInput, {"overflows"}),
      TensorRow("U06_BytesOverflow", {.sizes = {huge}}, kBadInput,
                {"overflows"}),
      TensorRow("U06_BlocksAreCut",
                {.sizes = {33}, .type = kQ8, .data = blocks + blocks},
                kBadInput, {"multiple of 32"}),
      TensorRow("U07_Q4K",
                {.sizes = {256}, .type = kQ4K, .data = std::string(144, 0)},
                kUnsupported, {"tensor \"w\"", "Q4_K", "--skip-unsupported"}),
      TensorRow("U07_UnknownType", {.type = 99, .data = kTwoFloats},
                kUnsupported, {"tensor \"w\"", "number 99"}),
  };
}

std::vector<InputRow> LayoutRows() {
  const auto two = [](uint64_t second) {
    return GgufParts{
        .tensors = {{.data = kTwoFloats},
                    {.name = "v", .data = kTwoFloats, .offset = second}}};
  };
  return {
      Row("U00_Halves",
          {.tensors = {{.type = kF16, .data = "1234"},
                       {.name = "v", .data = kTwoFloats}}},
          std::nullopt),
      Row("U08_Overlap", two(0), kBadInput, {"overlaps tensor", "\"w\""}),
      Row("U08_Hole", two(64), kBadInput,
          {"tensor \"v\"", "a hole of 32 bytes"}),
      Row("U08_OffsetIsOdd", two(33), kBadInput, {"no multiple of 32"}),
      Row("U08_OffsetIsHuge", two(~0ULL - 31), kBadInput, {"\"v\""}),
      Row("U08_FirstLeavesAHole",
          {.tensors = {{.data = kTwoFloats, .offset = 32}}}, kBadInput,
          {"a hole of 32 bytes"}),
      Row("U09_DataCut", {.tensors = {{.sizes = {9}, .data = kTwoFloats}}},
          kBadInput, {"takes 36 bytes", "32", "partial download"}),
      Row("U09_NoData", {.tensors = {GgufPart()}}, kBadInput,
          {"takes 8 bytes"}),
      Bytes("U09_BytesBehind",
            GgufFile({.tensors = {{.data = kTwoFloats}}}) + "x", kBadInput,
            {"follow the last tensor"}),
  };
}

}  // namespace

std::vector<InputRow> GgufRows() {
  std::vector<InputRow> rows = FrameRows();
  for (const auto& more : {MetadataRows(), TensorRows(), LayoutRows()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

}  // namespace rebasin
