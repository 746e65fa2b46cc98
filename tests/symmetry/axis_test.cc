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
                           "P0 qk", "99999999999999999999"}) {
    EXPECT_NE(MessageOf(text), "accepted") << text;
  }
}

TEST(AxisExpression, RefusesSizesThatOverflow) {
  EXPECT_NE(MessageOf("9223372036854775807*2"), "accepted");
  EXPECT_NE(MessageOf("9223372036854775807+1"), "accepted");
}

}  // namespace
}  // namespace rebasin
