#include "bad_inputs/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/utf8.h"
#include "cli/program.h"

namespace rebasin::testing {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

#ifdef REBASIN_SANITIZED
// Sanitizers keep freed memory for a while, and shadows of all of it.
constexpr int64_t kMoreMemory = 768 * kMebibyte;
constexpr int64_t kFewer = 10;
constexpr double kSlower = 10;
#else
constexpr int64_t kMoreMemory = 0;
constexpr int64_t kFewer = 1;
constexpr double kSlower = 1;
#endif

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Of stderr after its warnings.
std::vector<std::string> LinesAfterWarnings(const std::string& text) {
  std::vector<std::string> lines = Lines(text);
  const auto first =
      std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
        return !line.starts_with("rebasin: warning: ");
      });
  lines.erase(lines.begin(), first);
  return lines;
}

bool IsSafeToShow(const std::string& text) {
  return IsUtf8(text) &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) {
           return (c < 0x20 && c != '\n') || c == 0x7F;
         });
}

void ExpectOneError(const Outcome& run, const std::string& file) {
  const std::vector<std::string> lines = LinesAfterWarnings(run.err);
  ASSERT_THAT(lines, Not(IsEmpty())) << run.err;
  EXPECT_THAT(lines[0], StartsWith("rebasin: error: "));
  EXPECT_THAT(lines[0], HasSubstr(file));
  if (lines.size() > 1) {
    EXPECT_THAT(lines[1], StartsWith("hint: "));
  }
  EXPECT_LE(lines.size(), 2u) << run.err;
  EXPECT_EQ(run.out, "");
}

int64_t BytesOf(const TempDir& folder) {
  int64_t bytes = 0;
  for (const std::string& name : folder.Files()) {
    const auto path = folder / name;
    if (!std::filesystem::is_regular_file(path)) continue;
    bytes += static_cast<int64_t>(std::filesystem::file_size(path));
  }
  return bytes;
}

// Beside what a run takes that does nothing, started by this process as it is
// now; most runs fit without asking for that.
void ExpectPeakBelow(int64_t most, const Outcome& run, const TempDir& folder) {
  if (run.peak_bytes < most) return;
  EXPECT_LT(run.peak_bytes, most + RunIn(folder, {"--version"}).peak_bytes);
}

void ExpectFiles(const TempDir& folder, std::vector<std::string> expected,
                 const std::string& output) {
  if (!output.empty()) expected.push_back(output);
  std::sort(expected.begin(), expected.end());
  EXPECT_THAT(folder.Files(), ElementsAreArray(expected));
}

}  // namespace

void ExpectTrial(const TempDir& folder, const Trial& trial) {
  std::string command;
  for (const std::string& word : trial.args) command += " " + word;
  SCOPED_TRACE("rebasin" + command);
  const std::vector<std::string> before = folder.Files();
  const int64_t most = BytesOf(folder) + trial.memory + kMoreMemory;
  const Outcome run = RunIn(folder, trial.args);
  EXPECT_EQ(run.exit_code, trial.exit_code) << run.err;
  EXPECT_TRUE(IsSafeToShow(run.err)) << run.err;
  EXPECT_LT(run.seconds, trial.seconds * kSlower);
  ExpectPeakBelow(most, run, folder);
  for (const std::string& part : trial.says) {
    EXPECT_THAT(run.err, HasSubstr(part));
  }
  if (trial.exit_code != 0) {
    ExpectOneError(run, trial.file);
    ExpectFiles(folder, before, "");
    return;
  }
  EXPECT_THAT(LinesAfterWarnings(run.err), IsEmpty());
  EXPECT_TRUE(IsSafeToShow(run.out)) << run.out;
  EXPECT_NE(run.out, "");
  ExpectFiles(folder, before, trial.output);
  if (!trial.output.empty()) std::filesystem::remove(folder / trial.output);
}

int64_t Many(int64_t count) { return count / kFewer; }

}  // namespace rebasin::testing
