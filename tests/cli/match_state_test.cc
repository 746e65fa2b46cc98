// Matching that is killed, and goes on.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "cli/program.h"
#include "cli/zoo_models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using testing::Outcome;
using testing::Program;
using testing::RandomZooModel;
using testing::RunIn;
using Arguments = std::vector<std::string>;

class MatchState : public ::testing::Test {
 protected:
  MatchState() {
    SaveCheckpoint(RandomZooModel("resnet20", 1), folder_ / "a.safetensors");
    SaveCheckpoint(RandomZooModel("resnet20", 2), folder_ / "b.safetensors");
  }

  Arguments Match(const std::string& output, const Arguments& more = {}) const {
    Arguments all = {"match",   "a.safetensors", "b.safetensors",
                     "--model", "resnet20",      "-o",
                     output};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  bool HasState() const {
    return std::filesystem::exists(folder_ / "match.state");
  }

  const TempDir folder_;
};

const Arguments kState = {"--state", "match.state", "--state-every", "0"};

Arguments Resuming() {
  Arguments all = kState;
  all.push_back("--resume");
  return all;
}

TEST_F(MatchState, KilledAtRandomMomentsItWritesTheSameBytes) {
  const auto begun = std::chrono::steady_clock::now();
  ASSERT_EQ(RunIn(folder_, Match("whole.json", kState)).exit_code, 0);
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begun);
  EXPECT_FALSE(HasState());
  Random random(1);
  int resumed = 0;
  for (int kill = 0; kill < 30; ++kill) {
    resumed += HasState() ? 1 : 0;
    Program program(folder_,
                    Match("parts.json", HasState() ? Resuming() : kState));
    // At any moment of a run, however fast the machine is.
    std::this_thread::sleep_for(whole * (random.Below(1000) + 1) / 1000);
    program.Signal(SIGKILL);
    program.Wait();
    if (!std::filesystem::exists(folder_ / "parts.json")) continue;
    EXPECT_EQ(ReadAll(folder_ / "parts.json"), ReadAll(folder_ / "whole.json"));
    std::filesystem::remove(folder_ / "parts.json");
    std::filesystem::remove(folder_ / "match.state");
  }
  EXPECT_GT(resumed, 0);
  const Outcome last =
      RunIn(folder_, Match("parts.json", HasState() ? Resuming() : kState));
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(ReadAll(folder_ / "parts.json"), ReadAll(folder_ / "whole.json"));
  EXPECT_FALSE(HasState());
}

TEST_F(MatchState, IsNotOverwrittenUnasked) {
  folder_.Write("match.state", "something else");
  const Outcome refused = RunIn(folder_, Match("c.json", kState));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(refused.says("--resume")) << refused.err;
  const Outcome damaged = RunIn(folder_, Match("c.json", Resuming()));
  EXPECT_EQ(damaged.exit_code, 3) << damaged.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "c.json"));
}

TEST_F(MatchState, IsNeededToResume) {
  const Outcome outcome = RunIn(folder_, Match("c.json", {"--resume"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(outcome.says("--state")) << outcome.err;
}

TEST_F(MatchState, IsNoInput) {
  const Outcome outcome =
      RunIn(folder_, Match("c.json", {"--state", "a.safetensors", "--force"}));
  EXPECT_EQ(outcome.exit_code, 2);
}

TEST_F(MatchState, TooLittleMemoryNamesTheGroup) {
  for (const Arguments& more : {Arguments{"--memory", "1MB"},
                                Arguments{"--memory", "1MB", "--dry-run"}}) {
    const Outcome outcome = RunIn(folder_, Match("c.json", more));
    EXPECT_EQ(outcome.exit_code, 6) << outcome.err;
    EXPECT_TRUE(outcome.says("the costs of group")) << outcome.err;
  }
}

TEST_F(MatchState, ADryRunListsGroups) {
  const Outcome text = RunIn(folder_, Match("c.json", {"--dry-run"}));
  EXPECT_NE(text.out.find("kept"), std::string::npos) << text.out;
  const auto json =
      RunIn(folder_, Match("c.json", {"--dry-run", "--json"})).json();
  EXPECT_EQ(json["groups"].size(), 14);
  EXPECT_GE(json["unrelated_seconds"], json["seconds"]);
}

}  // namespace
}  // namespace rebasin
