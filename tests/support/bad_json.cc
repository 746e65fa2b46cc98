#include "support/bad_input.h"

namespace rebasin {
namespace {

using enum ErrorCode;

InputRow Row(const std::string& name, const std::string& content,
             std::optional<ErrorCode> error,
             std::vector<std::string> says = {}) {
  return {name, [content] { return content; }, error, std::move(says)};
}

std::string Map(const std::string& pairs) {
  return "{\"weight_map\":{" + pairs + "}}";
}

std::string Shard(const std::string& name) { return Map("\"w\":" + name); }

const std::vector<std::string> kPlain = {"plain file name"};

}  // namespace

std::vector<InputRow> IndexTextRows() {
  return {
      Row("I01_NoWeightMap", "{\"metadata\":{}}", kBadInput, {"weight_map"}),
      Row("I01_NotAnObject", "[]", kBadInput, {"object"}),
      Row("I01_WeightMapIsArray", "{\"weight_map\":[]}", kBadInput,
          {"weight_map", "array"}),
      Row("I01_ValueIsNumber", Shard("1"), kBadInput,
          {"\"w\"", "string", "number"}),
      Row("I02_AbsolutePath", Shard("\"/etc/passwd\""), kBadInput,
          {"plain file name", "/etc/passwd"}),
      Row("I02_WindowsPath", Shard("\"C:\\\\x\""), kBadInput, kPlain),
      Row("I02_DriveRelative", Shard("\"C:x.safetensors\""), kBadInput, kPlain),
      Row("I02_NetworkPath", Shard("\"//host/x\""), kBadInput, kPlain),
      Row("I02_ParentFolder", Shard("\"../x.safetensors\""), kBadInput, kPlain),
      Row("I02_DotDot", Shard("\"..\""), kBadInput, kPlain),
      Row("I02_Empty", Shard("\"\""), kBadInput, kPlain),
      Row("I02_NulInside", Shard("\"a\\u0000.safetensors\""), kBadInput,
          kPlain),
      Row("I10_DuplicateKey",
          Map("\"w\":\"a.safetensors\",\"w\":\"b.safetensors\""), kBadInput,
          {"duplicate key \"w\"", "line 1"}),
      Row("I10_DepthBomb", std::string(100'000, '['), kLimit, {"64"}),
      Row("I13_ShardsOfOtherFormats", Shard("\"pytorch_model.h5\""),
          kUnsupported, {"pytorch_model.h5", "convert"}),
      Row("I15_ShardsDifferByCase",
          Map("\"v\":\"A.safetensors\",\"w\":\"a.safetensors\""), kBadInput,
          {"duplicate shard", "A.safetensors", "a.safetensors"}),
      Row("I15_DotSlashSpelling",
          Map("\"v\":\"a.safetensors\",\"w\":\"./a.safetensors\""), kBadInput,
          kPlain),
      Row("I16_TotalSizeIsAbsurd",
          "{\"metadata\":{\"total_size\":-1e300},\"weight_map\":{}}", {}),
  };
}

std::vector<InputRow> JsonRows() {
  return {
      Row("J01_Empty", "", kBadInput, {"line 1, column 1"}),
      Row("J01_Truncated", "{\n\"a\":", kBadInput, {"line 2, column 4"}),
      Row("J01_ByteOrderMark", "\xEF\xBB\xBF{}", kBadInput,
          {"byte order mark", "line 1"}),
      Row("J01_LineComment", "{}\n// hello", kBadInput, {"line 2, column 1"}),
      Row("J01_BlockComment", "{/* */}", kBadInput, {"line 1, column 2"}),
      Row("J01_Nan", "[NaN]", kBadInput, {"line 1, column 2"}),
      Row("J01_Infinity", "[\n -Infinity]", kBadInput, {"line 2, column 3"}),
      Row("J01_NumberTooLarge", "[1e999]", kBadInput, {"line 1", "1e999"}),
      Row("J01_DuplicateKeys", "{\"a\":1,\n \"a\":2}", kBadInput,
          {"duplicate key \"a\"", "line 2, column 4"}),
      Row("J01_NestedDuplicateKeys", "{\"x\":{\"a\":1,\"a\":2}}", kBadInput,
          {"duplicate key \"a\""}),
      Row("J01_TrailingComma", "[1,]", kBadInput, {"line 1, column 4"}),
      Row("J01_TrailingValue", "{} {}", kBadInput, {"line 1, column 4"}),
      Row("J01_SingleQuotes", "{'a':1}", kBadInput, {"line 1, column 2"}),
      Row("J01_LeadingZero", "[01]", kBadInput, {"line 1"}),
      Row("J01_NulAfterValue", std::string("{}\0", 3), kBadInput, {"NUL"}),
      Row("J01_RawControlInString", "\"a\nb\"", kBadInput, {"line 1"}),
      Row("J01_InvalidUtf8", "\"\xFF\"", kBadInput, {"UTF-8"}),
      Row("J01_LoneHighSurrogate", "\"\\ud800x\"", kBadInput, {"surrogate"}),
      Row("J01_LoneLowSurrogate", "\"\\udc00\"", kBadInput, {"surrogate"}),
      Row("J01_DepthBomb", std::string(100'000, '['), kLimit, {"64"}),
      Row("J01_SurrogatePair", "\"\\ud83d\\ude00\"", {}),
      Row("J01_Depth64", std::string(64, '[') + std::string(64, ']'), {}),
      Row("J01_Depth65", std::string(65, '[') + std::string(65, ']'), kLimit,
          {"64"}),
  };
}

}  // namespace rebasin
