#include <gtest/gtest.h>

#include "rebasin/error.h"
#include "rebasin/symmetry.h"

namespace rebasin {
namespace {

const std::vector<Group> kGroups = {{"P0", 512}, {"heads", 8}, {"qk", 64, 1}};

std::string RoundTrip(std::string_view text) {
  return AxisText(ParseAxis(text, kGroups), kGroups);
}

TEST(AxisExpression, ParsesAndPrintsTheSame) {
  for (const char* text : {"P0", "heads*qk", "P0*49", "P0+10", "3*heads*qk",
                           "10", "0", "P0+heads*qk+7"}) {
    EXPECT_EQ(RoundTrip(text), text);
  }
}

TEST(AxisExpression, ParsesAndPrintsParentheses) {
  for (const char* text :
       {"heads*(qk+3)", "heads*(2*qk+qk+5)", "P0+heads*(qk+3)+7",
        "heads*(qk*(2+P0)+3)", "heads*(qk+3)+heads*(qk+3)"}) {
    EXPECT_EQ(RoundTrip(text), text);
  }
}

TEST(AxisExpression, WritesParenthesesWhereTheyAreNeeded) {
  EXPECT_EQ(RoundTrip("(P0)"), "P0");
  EXPECT_EQ(RoundTrip("((P0 + 3))"), "P0+3");
  EXPECT_EQ(RoundTrip("heads*(qk)"), "heads*qk");
  EXPECT_EQ(RoundTrip("heads*(qk+3)*2"), "heads*(qk*2+3*2)");
  EXPECT_EQ(RoundTrip("(P0+3)*(qk+4)"), "P0*(qk+4)+3*(qk+4)");
}

TEST(AxisExpression, SegmentsInParenthesesShareTheirFirstFactors) {
  const Axis axis = ParseAxis("P0+heads*(qk*(2+3)+3)", kGroups);
  ASSERT_EQ(axis.segments.size(), 4u);
  EXPECT_EQ(axis.shared, (std::vector<int>{0, 0, 2, 1}));
  EXPECT_EQ(axis.size(), 512 + 8 * (64 * 5 + 3));
}

TEST(AxisExpression, IgnoresSpaces) {
  EXPECT_EQ(RoundTrip(" heads * qk + 10 "), "heads*qk+10");
}

TEST(AxisExpression, SizeIsSumOfProducts) {
  EXPECT_EQ(ParseAxis("P0", kGroups).size(), 512);
  EXPECT_EQ(ParseAxis("3*heads*qk", kGroups).size(), 3 * 8 * 64);
  EXPECT_EQ(ParseAxis("P0*49+10", kGroups).size(), 512 * 49 + 10);
}

std::string MessageOf(std::string_view text) {
  try {
    ParseAxis(text, kGroups);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    return std::string(error.what()) + " " + error.hint();
  }
  return "accepted";
}

TEST(AxisExpression, NamesUnknownGroupsAndSuggestsOne) {
  EXPECT_NE(MessageOf("haeds*qk").find("unknown group \"haeds\""),
            std::string::npos);
  EXPECT_NE(MessageOf("haeds*qk").find("did you mean \"heads\"?"),
            std::string::npos);
}

TEST(AxisExpression, RefusesWhatIsNotAnExpression) {
  for (const char* text : {"", "+", "P0+", "*P0", "P0**qk", "12x", "1.5", "-3",
                           "P0 qk", "99999999999999999999", "(P0", "P0)", "()",
                           "P0*()", "P0(qk)", "(P0)qk"}) {
    EXPECT_NE(MessageOf(text), "accepted") << text;
  }
}

TEST(AxisExpression, RefusesToBeMultipliedOut) {
  std::string text = "(1+1)";
  for (int i = 0; i < 40; ++i) text += "*(1+1)";
  EXPECT_NE(MessageOf(text).find("too many segments"), std::string::npos);
  text = "(1+1+1+1+1+1+1+1)*(1+1+1+1+1+1+1+1)";
  for (int i = 0; i < 100'000; ++i) text += "*1";
  EXPECT_NE(MessageOf(text).find("too many factors"), std::string::npos);
  EXPECT_NE(MessageOf(std::string(1000, '(')).find("too many parentheses"),
            std::string::npos);
}

TEST(AxisExpression, RefusesSizesThatOverflow) {
  EXPECT_NE(MessageOf("9223372036854775807*2"), "accepted");
  EXPECT_NE(MessageOf("9223372036854775807+1"), "accepted");
}

}  // namespace
}  // namespace rebasin
