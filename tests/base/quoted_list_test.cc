#include "base/quoted_list.h"

#include <gtest/gtest.h>

namespace rebasin {
namespace {

TEST(QuotedList, ShowsAllOfFewNames) {
  EXPECT_EQ(QuotedList({}), "");
  EXPECT_EQ(QuotedList({"a"}), "\"a\"");
  EXPECT_EQ(QuotedList({"a", "b\x1b"}), "\"a\", \"b\\u001b\"");
}

TEST(QuotedList, CountsTheRestOfMany) {
  const std::vector<std::string> names(17, "x");
  const std::string text = QuotedList(names);
  EXPECT_EQ(text.find("\"x\", \"x\""), 0u);
  EXPECT_TRUE(text.ends_with(" and 7 more")) << text;
}

}  // namespace
}  // namespace rebasin
