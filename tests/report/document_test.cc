#include "report/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rebasin/error.h"
#include "report/files.h"
#include "report/html.h"
#include "report/sample_document.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

// The page without the scripts that it brings along.
std::string Own(const std::string& html) {
  return html.substr(0, html.find("<script>/*!"));
}

TEST(DocumentTest, PageSaysEverything) {
  const std::string html = Html(SampleDocument());
  for (const char* text :
       {"<h1>A report</h1>", "Does it draw?", "It sings.", "not supported",
        "mixed", "not tested at this size", "Some words.", "a  1\n", "0.33",
        "rebasin lab sample", "data:image/svg+xml;base64,"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
}

TEST(DocumentTest, HostileTextsStayTexts) {
  const std::string html = Own(Html(SampleDocument()));
  EXPECT_THAT(html, Not(HasSubstr("<script>throw")));
  EXPECT_THAT(html, Not(HasSubstr("<b a")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;throw 1"));
}

TEST(DocumentTest, CellsLinkWhereTheySay) {
  Cell cell("a <page>");
  cell.link = "one/report.html?a&b";
  const Document document{
      .blocks = {DataTable{.columns = {"name"}, .rows = {{cell}}}}};
  EXPECT_NE(Html(document).find("<a href=\"one/report.html?a&amp;b\">a "
                                "&lt;page&gt;</a>"),
            std::string::npos);
}

TEST(DocumentTest, PageFetchesNothing) {
  const std::string html = Own(Html(SampleDocument()));
  for (const char* loads : {"src=\"http", "href=\"http", "@import", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(loads)));
  }
}

TEST(DocumentTest, SameDocumentSameBytes) {
  EXPECT_EQ(Html(SampleDocument()), Html(SampleDocument()));
}

TEST(DocumentTest, BarsAreDrawnBeneathTheirNumbersAndStayInTheirCells) {
  Cell cell("40 %", 0.4);
  cell.bar = Bar{.end = 0.4, .error = 0.1, .mark = 0.6};
  Cell range("");
  range.bar = Bar{.begin = -0.2, .end = 1.5, .dots = true};
  const std::string html = Html(
      {.title = "t",
       .blocks = {DataTable{.columns = {"a"}, .rows = {{cell}, {range}}}}});
  for (const char* part : {"40 %<span class=\"track\"",
                           "class=\"fill\" style=\"left:0%;width:40%\"",
                           "class=\"whisker\" style=\"left:30%;width:20%\"",
                           "class=\"line\" style=\"left:60%\"",
                           "class=\"fill\" style=\"left:0%;width:100%\"",
                           "class=\"ring\" style=\"left:0%\"",
                           "class=\"dot\" style=\"left:100%\""}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
}

TEST(DocumentTest, WhatIsFoldedStandsBehindItsSummary) {
  const std::string html = Html(
      {.title = "t",
       .blocks = {Listing{"line\n", "The log"}, DataTable{.caption = "All rows",
                                                          .columns = {"a"},
                                                          .rows = {{"b"}},
                                                          .folded = true}}});
  EXPECT_THAT(html, HasSubstr("<details><summary>The log</summary>"));
  EXPECT_THAT(html, HasSubstr("<details><summary>All rows</summary>"));
  EXPECT_THAT(html, Not(HasSubstr("class=\"caption\"")));
}

TEST(DocumentTest, CsvHasNumbersInFullAndQuotes) {
  const DataTable table{.columns = {"a,b", "c"},
                        .rows = {{"say \"hi\"", {"0.33", 1.0 / 3}}, {"", "x"}}};
  EXPECT_EQ(TableCsv(table),
            "\"a,b\",c\n\"say \"\"hi\"\"\",0.3333333333333333\n,x\n");
}

TEST(DocumentTest, FolderHasPageNumbersAndPictures) {
  const TempDir folder;
  const auto path = folder.path() / "deep" / "report";
  EXPECT_THAT(WriteReport(SampleDocument(), path, false),
              UnorderedElementsAre("report.html", "report.json", "table.csv",
                                   "curves.csv", "curves.svg", "curves.png",
                                   "plane.csv", "plane.svg", "plane.png"));
  const auto json = nlohmann::json::parse(ReadAll(path / "report.json"));
  EXPECT_EQ(json["claims"][1]["verdict"], "mixed");
  EXPECT_EQ(json["blocks"][2]["rows"][0][1], 1.0 / 3);
  EXPECT_TRUE(json["blocks"][2]["rows"][1][1].is_null());
  EXPECT_EQ(json["blocks"][4]["z"].size(), 81u);
}

TEST(DocumentTest, OldReportsAreNotReplacedUnasked) {
  const TempDir folder;
  WriteReport(SampleDocument(), folder.path(), false);
  EXPECT_THROW(WriteReport(SampleDocument(), folder.path(), false), Error);
  EXPECT_NO_THROW(WriteReport(SampleDocument(), folder.path(), true));
}

TEST(DocumentTest, WhatAnOlderReportHadMoreIsRemoved) {
  const TempDir folder;
  WriteReport(SampleDocument(), folder.path(), false);
  folder.Write("notes.csv", "mine");
  Document shorter = SampleDocument();
  std::erase_if(shorter.blocks, [](const Block& block) {
    return std::holds_alternative<MapPlot>(block);
  });
  WriteReport(shorter, folder.path(), true);
  EXPECT_THAT(folder.Files(),
              UnorderedElementsAre("report.html", "report.json", "table.csv",
                                   "curves.csv", "curves.svg", "curves.png",
                                   "notes.csv"));
}

TEST(DocumentTest, NoOlderReportMayNameFilesElsewhere) {
  const TempDir folder;
  const auto path = folder.path() / "report";
  std::filesystem::create_directory(path);
  folder.Write("mine.csv", "mine");
  for (const std::string blocks :
       {R"([{"name":"../mine"}])", R"([{"name":7}, 3])", "7", "["}) {
    folder.Write("report/report.json", "{\"blocks\":" + blocks + "}");
    WriteReport(SampleDocument(), path, true);
    EXPECT_EQ(ReadAll(folder / "mine.csv"), "mine");
  }
}

}  // namespace
}  // namespace rebasin
