#include "io/json.h"

#include <gtest/gtest.h>

#include "support/bad_input.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

nlohmann::json Parse(std::string_view text, const JsonLimits& limits = {}) {
  return ParseJson({.text = text, .source = "x.json"}, limits);
}

class Json : public ::testing::TestWithParam<InputRow> {};

TEST_P(Json, IsReadOrRefusedAsStated) {
  const InputRow& row = GetParam();
  const std::string text = row.make();
  if (!row.error) {
    EXPECT_NO_THROW(Parse(text));
    return;
  }
  std::vector<std::string> says = row.says;
  says.push_back("x.json: ");
  ExpectError(*row.error, says, [&] { Parse(text); });
}

INSTANTIATE_TEST_SUITE_P(Rows, Json, ::testing::ValuesIn(JsonRows()),
                         [](const auto& row) { return row.param.name; });

TEST(JsonTree, HoldsWhatTheTextSays) {
  const std::string_view text =
      R"({"b":[1,-2,2.5,"x",true,null,{}],"a":{"":18446744073709551615}})";
  EXPECT_EQ(Parse(text), nlohmann::json::parse(text));
  EXPECT_EQ(Parse("-9223372036854775807").get<int64_t>(), -9223372036854775807);
}

TEST(JsonTree, ScalarsAreTexts) {
  EXPECT_EQ(Parse(" 7\n"), 7);
  EXPECT_EQ(Parse("\"\\u00e9\""), "é");
}

TEST(JsonLimits, AreKept) {
  ExpectError(ErrorCode::kLimit, {"5 bytes", "4"},
              [] { Parse("[1,2]", {.bytes = 4}); });
  ExpectError(ErrorCode::kLimit, {"more than 2 values"},
              [] { Parse("[1,2]", {.values = 2}); });
}

TEST(JsonFile, IsNamedInErrors) {
  const TempDir dir;
  const auto path = dir.Write("a b\n.json", "[1,\n2");
  ExpectError(ErrorCode::kBadInput, {"a b\\n.json", "line 2"},
              [&] { ReadJsonFile(path); });
  ExpectError(ErrorCode::kLimit, {"a b\\n.json", "5 bytes"},
              [&] { ReadJsonFile(path, {.bytes = 4}); });
}

}  // namespace
}  // namespace rebasin
