// Reports in a real browser. Skipped where there is none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "report/html.h"
#include "report/picture_files.h"
#include "report/sample_document.h"
#include "report/web.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kChromium =
    "chromium --headless --no-sandbox --disable-gpu --no-first-run "
    "--disable-background-networking --disable-component-update "
    "--disable-sync --disable-quic --hide-scrollbars "
    "--virtual-time-budget=10000 --enable-logging=stderr ";

std::string Output(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    text.append(buffer, n);
  }
  pclose(pipe);
  return text;
}

class BrowserTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Output("command -v chromium").empty()) {
      GTEST_SKIP() << "chromium is not installed";
    }
  }

  // What chromium says of the page; its log goes to log().
  std::string Visit(const Document& document, const std::string& arguments) {
    const auto page = folder_.Write("page.html", Html(document));
    return Output(kChromium +
                  ("--user-data-dir=" + (folder_ / "user").native()) + " " +
                  arguments + " file://" + page.native() + " 2>" +
                  (folder_ / "log").native());
  }
  std::string log() const { return ReadAll(folder_ / "log"); }

  TempDir folder_;
};

TEST_F(BrowserTest, ChartsAreDrawnWithoutErrors) {
  const std::string dom = Visit(SampleDocument(), "--dump-dom");
  EXPECT_THAT(dom, HasSubstr("A report"));
  EXPECT_THAT(log(), Not(HasSubstr("CONSOLE")));
  if (VegaScript().empty()) {
    EXPECT_THAT(dom, HasSubstr("class=\"still\""));
    return;
  }
  EXPECT_THAT(dom, HasSubstr("data-charts=\"done\""));
  EXPECT_THAT(dom, HasSubstr("data-state=\"drawn\""));
  EXPECT_THAT(dom, Not(HasSubstr("data-state=\"failed\"")));
  EXPECT_THAT(dom, HasSubstr("class=\"marks\""));
}

// A chart that cannot be drawn is an error that the test above would see.
TEST_F(BrowserTest, ErrorsAreSeen) {
  Document document = SampleDocument();
  document.blocks = {Paragraph{"x"}};
  std::string html = Html(document);
  html.insert(html.find("</body>"), "<script>throw 1</script>");
  folder_.Write("page.html", html);
  Output(kChromium + ("--user-data-dir=" + (folder_ / "user").native()) +
         " --dump-dom file://" + (folder_ / "page.html").native() + " 2>" +
         (folder_ / "log").native());
  EXPECT_THAT(log(), HasSubstr("CONSOLE"));
}

TEST_F(BrowserTest, FitsAPhone) {
  const auto picture = folder_ / "phone.png";
  Visit(SampleDocument(),
        "--window-size=500,2600 --screenshot=" + picture.native());
  const std::string bytes = ReadAll(picture);
  ASSERT_TRUE(testing::IsPng(bytes));
  EXPECT_EQ(testing::PngWidth(bytes), 500u);
}

}  // namespace
}  // namespace rebasin
