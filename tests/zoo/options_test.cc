// What the texts may say, and what is said where they may not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "rebasin/zoo.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

void ExpectUsage(const std::string& text,
                 const std::vector<std::string>& says) {
  SCOPED_TRACE(text);
  ExpectError(ErrorCode::kUsage, says, [&] { ZooGraph(text); });
}

TEST(ZooEntries, HaveDistinctNamesAndDescriptions) {
  std::set<std::string> names;
  for (const ZooEntry& entry : ZooEntries()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.description.empty()) << entry.name;
    EXPECT_FALSE(entry.options.empty()) << entry.name;
  }
  EXPECT_TRUE(names.contains("resnet20"));
}

TEST(ZooEntries, AllowTheirOwnDefaults) {
  for (const ZooEntry& entry : ZooEntries()) {
    std::string text = entry.name;
    for (const ZooOption& option : entry.options) {
      text += (text == entry.name ? ":" : ",") + option.name + "=" +
              option.default_value;
    }
    EXPECT_EQ(ZooGraph(text).weights().size(),
              ZooGraph(entry.name).weights().size())
        << text;
  }
}

TEST(ZooGraph, SuggestsNames) {
  ExpectUsage("resnet21", {"no model \"resnet21\"", "did you mean \"resnet20\"",
                           "known: mlp, residual_mlp"});
  ExpectUsage("", {"no model \"\""});
  ExpectUsage(":width=1", {"no model \"\""});
}

TEST(ZooGraph, SuggestsOptions) {
  ExpectUsage(
      "resnet20:widht=4",
      {"\"resnet20\" has no option \"widht\"", "did you mean \"width\"?",
       "its options: shortcut, norm, groups, width, classes, image"});
  ExpectUsage("resnet18:width=4", {"its options: classes, image"});
}

TEST(ZooGraph, SuggestsValues) {
  ExpectUsage("resnet20:norm=bacth",
              {"option norm of model \"resnet20\" cannot be \"bacth\"",
               "did you mean \"batch\"?", "one of batch, layer"});
}

TEST(ZooGraph, RefusesNumbersOutOfBounds) {
  for (const char* value :
       {"0", "33", "-1", "2x", " 2", "", "1.5", "99999999999999999999"}) {
    ExpectUsage(std::string("resnet20:width=") + value,
                {"a number from 1 to 32"});
  }
}

TEST(ZooGraph, RefusesOptionsWithoutValues) {
  ExpectUsage("resnet20:width",
              {"\"width\" of a model has no value", "name:option=value"});
  ExpectUsage("resnet20:,width=2", {"has no value"});
}

TEST(ZooGraph, RefusesOptionsThatContradictEachOther) {
  ExpectUsage("gpt2:width=768,heads=5", {"not a multiple of 5 heads"});
  ExpectUsage("gpt2:width=100", {"no number of heads is usual"});
  ExpectUsage("gpt2:context=8,sequence=9", {"more than context"});
  ExpectUsage("vit:image=100,patch=16", {"do not split into patches"});
  ExpectUsage("llama:heads=32,kv_heads=5", {"kv_heads must divide heads"});
  ExpectUsage("llama:width=36,heads=4", {"even size"});
}

}  // namespace
}  // namespace rebasin
