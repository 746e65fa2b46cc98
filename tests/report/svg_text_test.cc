#include "report/svg_text.h"

#include <gtest/gtest.h>

#include "report/picture_files.h"

namespace rebasin {
namespace {

using ::rebasin::testing::IsWellFormed;

TEST(SvgText, StandsFirstInTheRoot) {
  EXPECT_EQ(WithTexts("<?xml?>\n<svg a=\"1\"><g/></svg>", "t", {"u", "", "v"}),
            "<?xml?>\n<svg a=\"1\">\n<title>t</title>\n<desc>u\nv\n</desc>"
            "<g/></svg>");
}

TEST(SvgText, IsEscaped) {
  EXPECT_EQ(XmlText("a<b>&c"), "a&lt;b&gt;&amp;c");
  EXPECT_EQ(XmlText("é"), "é");
  EXPECT_EQ(XmlText("\x01").find('\x01'), std::string::npos);
}

TEST(SvgText, NamesNothingAfterThisProcess) {
  const std::string a = WithTexts("<svg><g id=\"surface5\"/></svg>", "", {});
  const std::string b = WithTexts("<svg><g id=\"surface71\"/></svg>", "", {});
  EXPECT_EQ(a, b);
}

// The checker of the other tests sees what it is to see.
TEST(SvgText, CheckerOfXmlIsNotBlind) {
  EXPECT_TRUE(IsWellFormed("<?xml?><a b=\"c\"><d/>text</a>\n"));
  EXPECT_FALSE(IsWellFormed("<a><b></a></b>"));
  EXPECT_FALSE(IsWellFormed("<a>"));
  EXPECT_FALSE(IsWellFormed("<a></a><b></b>"));
  EXPECT_FALSE(IsWellFormed("<a>1 > 0</a>"));
  EXPECT_FALSE(IsWellFormed("<a>0 < 1</a>"));
}

}  // namespace
}  // namespace rebasin
