#include "io/json.h"

#include <gtest/gtest.h>

#include "support/bad_input.h"
#include "support/expect_error.h"
#include "support/expect_row.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

nlohmann::json Parse(std::string_view text, const JsonLimits& limits = {}) {
  return ParseJson({.text = text, .source = "x.json"}, limits);
}

class Json : public ::testing::TestWithParam<InputRow> {};

TEST_P(Json, IsReadOrRefusedAsStated) {
  ExpectAsStated(GetParam(), [](const std::string& text) {
    ParseJson({.text = text, .source = "the file"}, {});
  });
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

// Another parser is the judge.
TEST(JsonTree, NumbersAreThoseOfAnotherParser) {
  for (const char* text : {"0",
                           "-0",
                           "-0.0",
                           "18446744073709551615",
                           "18446744073709551616",
                           "-9223372036854775808",
                           "-9223372036854775809",
                           "0.1",
                           "1.5e3",
                           "1E+2",
                           "1e-7",
                           "123456789012345678901234567890",
                           "2.2250738585072011e-308",
                           "5e-324",
                           "2e-324",
                           "-1e-400",
                           "0e999",
                           "0.0e99999999999999999999",
                           "1e-99999999999999999999",
                           "1.7976931348623157e308",
                           "0.00000000000000000001e320",
                           "100000000000000000000e-400"}) {
    const nlohmann::json expected = nlohmann::json::parse(text);
    const nlohmann::json found = Parse(text);
    EXPECT_EQ(found, expected) << text;
    EXPECT_EQ(found.type(), expected.type()) << text;
    EXPECT_EQ(found.dump(), expected.dump()) << text;
  }
}

TEST(JsonTree, StringsAreThoseOfAnotherParser) {
  for (const char* text :
       {R"("")", R"("\\\"\/\b\f\n\r\t")", R"("a\u0000b")", R"("\u007f\u0080")",
        R"("\u07FF\u0800\uffff")", R"("\ud800\udc00\uDBFF\uDFFF")",
        "\"\x7F\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""}) {
    EXPECT_EQ(Parse(text), nlohmann::json::parse(text)) << text;
  }
}

TEST(JsonTree, IsReadWithSpacesEverywhere) {
  EXPECT_EQ(Parse(" {\t\"a\" :\r[ ] , \"b\":\n{ } ,\"c\" : [ 1 , 2 ]} \n"),
            nlohmann::json::parse(R"({"a":[],"b":{},"c":[1,2]})"));
}

TEST(JsonTree, TellsWhatWasExpected) {
  const auto expect = [](const char* text, const char* says) {
    ExpectError(ErrorCode::kBadInput, {says}, [&] { Parse(text); });
  };
  expect("[1 2]", "expected ',' or ']', found \"2\"");
  expect("{\"a\" 1}", "expected ':', found \"1\"");
  expect("{\"a\":1,}", "expected a key in double quotes, found \"}\"");
  expect("{1:2}", "expected a key in double quotes");
  expect("[1", "expected ',' or ']', found the end");
  expect("[tru]", "expected true, found \"]\"");
  expect("[-]", "expected a digit");
  expect("[1.]", "expected a digit");
  expect("[1e+]", "expected a digit");
  expect("[.5]", "expected a value");
  expect("[+1]", "expected a value");
  expect("\"a", "at the end of the string");
  expect(R"("\x")", R"(after '\')");
  expect(R"("\u12g4")", "four hexadecimal digits");
  expect(R"("\ud800\u0041")", "a low surrogate");
  expect("1e309", "too large for a double");
  expect("-1e99999999999999999999", "too large for a double");
  expect("]", "expected a value");
  expect("{}]", "nothing after the value");
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
