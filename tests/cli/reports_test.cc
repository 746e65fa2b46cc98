// Pages that commands write, and the laboratory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/trained.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using testing::Arguments;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::ResNetFolder;
using testing::TrainedFolder;
using testing::operator+;

const Arguments kDigits = {"--data", DIGITS_FOLDER};

TEST(Reports, CommandsWritePages) {
  const TrainedFolder folder;
  const std::vector<Arguments> commands = {
      {"merge", "a.safetensors", "b.safetensors", "-o", "m.safetensors"},
      Arguments{"interpolate", "a.safetensors", "b.safetensors", "--points",
                "3"} +
          kDigits,
      Arguments{"compare", "a.safetensors", "b.safetensors", "--points", "3",
                "--methods", "identity,weights"} +
          kDigits};
  for (size_t c = 0; c < commands.size(); ++c) {
    const std::string page = std::to_string(c) + ".html";
    const Outcome run = folder.Run(commands[c] + Arguments{"--report", page});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const std::string html = ReadAll(folder.path() / page);
    EXPECT_THAT(html, HasSubstr("rebasin " + commands[c][0]));
    EXPECT_THAT(html, HasSubstr("data:image/svg+xml"));
    const Outcome again =
        folder.Run(commands[c] + Arguments{"--report", page, "--quiet"});
    EXPECT_EQ(again.exit_code, 2) << again.out;
  }
  EXPECT_THAT(ReadAll(folder.path() / "0.html"),
              HasSubstr("Fixed axes, and why"));
}

TEST(Reports, ThePageOfAMergeBeginsWithTheVerdictAndFoldsTheLogAway) {
  const TrainedFolder folder;
  const Outcome run =
      folder.Run(Arguments{"merge", "a.safetensors", "b.safetensors", "-o",
                           "m.safetensors", "--report", "m.html"} +
                 kDigits);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string html = ReadAll(folder / "m.html");
  size_t last = 0;
  for (const char* part :
       {"class=\"claim", "The merge and its parents", "model 1, a.safetensors",
        "<td>plain average</td>", "aligned average", "<td>merged</td>",
        "What was kept of each parent", "class=\"line\"",
        "Repairs that were tried", "How alike the models are", "fc1.weight",
        "What was moved", "<summary>The log</summary>"}) {
    const size_t found = html.find(part, last);
    ASSERT_NE(found, std::string::npos) << part;
    last = found;
  }
}

TEST(Reports, SimilaritiesAreThoseOfWeightsByStage) {
  const ResNetFolder folder;
  const Outcome run = folder.Run({"merge", "a.safetensors", "b.safetensors",
                                  "-o", "m.safetensors", "--report", "m.html"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string html = ReadAll(folder / "m.html");
  const size_t begin = html.find("By stage");
  ASSERT_NE(begin, std::string::npos);
  const std::string tables =
      html.substr(begin, html.find("What was moved") - begin);
  for (const char* row : {"<td>layer1</td>", "<td>layer2</td>",
                          "<td>layer3</td>", "layer2.0.conv1.weight"}) {
    EXPECT_THAT(tables, HasSubstr(row));
  }
  EXPECT_THAT(tables, Not(HasSubstr("bn1")));
  EXPECT_THAT(tables, Not(HasSubstr("bias")));
}

TEST(Reports, OtherEndingsAreRefusedBeforeTheWork) {
  const TrainedFolder folder;
  const Outcome run = folder.Run({"merge", "a.safetensors", "b.safetensors",
                                  "-o", "m.safetensors", "--report", "m.txt"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(run.says(".html"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "m.safetensors"));
}

TEST(Lab, ListsTheExperiments) {
  const TrainedFolder folder;
  const Outcome run = folder.Run({"lab", "--list"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, HasSubstr("interpolation"));
  EXPECT_EQ(
      folder.Run({"lab", "--list", "--json"}).json()["experiments"].size(),
      14u);
}

TEST(Lab, WritesAFolderAndTellsTheVerdict) {
  const TrainedFolder folder;
  const Arguments command = {"lab", "counterexample", "-o", "report"};
  const Outcome run = folder.Run(command);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("supported: no swap 0.25,"));
  for (const char* file : {"report.html", "report.json", "errors.csv",
                           "errors.svg", "functions.png"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "report" / file))
        << file;
  }
  EXPECT_EQ(folder.Run(command).exit_code, 2);
  EXPECT_EQ(folder.Run(command + Arguments{"--force"}).exit_code, 0);
}

TEST(Lab, SaysWhatIsMissing) {
  const TrainedFolder folder;
  EXPECT_TRUE(folder.Run({"lab", "nothing"}).says("there are symmetries"));
  const Outcome run = folder.Run({"lab", "contour", "--cache", "cache"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(run.says("scripts/get-data mnist"));
}

TEST(Lab, DryRunsDoNothing) {
  const TrainedFolder folder;
  const Outcome run = folder.Run({"lab", "contour", "--dry-run"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("would run contour"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "lab-contour"));
}

}  // namespace
}  // namespace rebasin
