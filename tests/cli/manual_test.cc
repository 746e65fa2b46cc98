// The manual page says what the program says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/program.h"

namespace rebasin {
namespace {

using ::testing::HasSubstr;
using testing::RunIn;

// As the page is written: hyphens of options are escaped.
std::string Escaped(const std::string& option) {
  std::string text;
  for (const char c : option) text += c == '-' ? "\\-" : std::string(1, c);
  return text;
}

// The first words of the lines between two headings of the help.
std::vector<std::string> WordsBetween(const std::string& help,
                                      const std::string& from,
                                      const std::string& to) {
  const size_t begin = help.find(from) + from.size();
  std::istringstream lines(help.substr(begin, help.find(to) - begin));
  std::vector<std::string> words;
  for (std::string line, word; std::getline(lines, line);) {
    if (std::istringstream(line) >> word) words.push_back(word);
  }
  return words;
}

TEST(ManualPage, NamesAllCommandsAndCommonOptions) {
  const TempDir folder;
  const std::string help = RunIn(folder, {"--help"}).out;
  const std::string page = ReadAll(MANUAL_PAGE);
  const auto commands = WordsBetween(help, "Subcommands:", "Examples:");
  EXPECT_GE(commands.size(), 16u);
  for (const std::string& command : commands) {
    EXPECT_THAT(page, HasSubstr("\n.TP\n.B " + command + "\n"));
  }
  const auto options = WordsBetween(help, "Common options:", "Subcommands:");
  EXPECT_GE(options.size(), 9u);
  for (const std::string& option : options) {
    EXPECT_THAT(page, HasSubstr(Escaped(option)));
  }
}

// What the driver's help tells to configure.
TEST(ManualPage, HasTheLinesForGit) {
  const TempDir folder;
  const std::string help = RunIn(folder, {"merge-driver", "--help"}).out;
  std::string page = ReadAll(MANUAL_PAGE);
  std::erase(page, '\\');
  std::istringstream lines(help.substr(help.find("Once for a repository:")));
  int found = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  git config ")) continue;
    EXPECT_THAT(page, HasSubstr(line.substr(2)));
    ++found;
  }
  EXPECT_EQ(found, 5);
}

}  // namespace
}  // namespace rebasin
