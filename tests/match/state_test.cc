// Matching that is interrupted and goes on gives what it would have given.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "rebasin/error.h"
#include "rebasin/match.h"
#include "support/models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using testing::SymmetryPtr;

class State : public ::testing::TestWithParam<MatchStart> {
 protected:
  MatchOptions Options() const {
    return {.start = GetParam(),
            .random_order = GetParam() == MatchStart::kIdentity,
            .state_file = folder_ / "state",
            .state_seconds = 0};
  }

  // Stops after this many reports of progress; false if it came to its end.
  bool StopsAfter(int reports, MatchOptions options,
                  const SymmetryPtr& symmetry, const Checkpoint& a,
                  const Checkpoint& b, MatchResult* result) {
    int left = reports;
    options.resume = resumes_;
    const rebasin::Run run{.threads = 1,
                           .progress = [&](const Progress&) { --left; },
                           .stop = [&] { return left < 0; }};
    try {
      *result = MatchWeights(a, b, symmetry, options, run);
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kStopped);
      resumes_ = std::filesystem::exists(options.state_file);
      return true;
    }
  }

  const TempDir folder_;
  bool resumes_ = false;
};

void ExpectSame(const MatchResult& found, const MatchResult& expected) {
  EXPECT_TRUE(found.alignment == expected.alignment);
  EXPECT_EQ(found.report.objective_after, expected.report.objective_after);
  EXPECT_EQ(found.report.objective_by_pass, expected.report.objective_by_pass);
  EXPECT_EQ(found.report.converged, expected.report.converged);
}

TEST_P(State, InterruptedAgainAndAgainGivesTheSameBits) {
  for (const SymmetryPtr& symmetry : testing::AllKinds()) {
    const Checkpoint a = testing::RandomModel(*symmetry, 1);
    const Checkpoint b = testing::RandomModel(*symmetry, 2);
    const MatchResult expected = MatchWeights(a, b, symmetry, Options());
    // Two stages may begin before the first visit.
    for (const int reports : {5, 6, 9}) {
      resumes_ = false;
      MatchResult found = expected;
      int stops = 0;
      while (StopsAfter(reports, Options(), symmetry, a, b, &found)) {
        ASSERT_LT(++stops, 10000) << "it does not get on";
      }
      ExpectSame(found, expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Starts, State,
                         ::testing::Values(MatchStart::kAnchored,
                                           MatchStart::kIdentity),
                         [](const auto& start) {
                           return start.param == MatchStart::kAnchored
                                      ? "Anchored"
                                      : "Identity";
                         });

class StateFile : public ::testing::Test {
 protected:
  StateFile() { MatchWeights(a_, b_, net_, options_); }

  ErrorCode Resumed(const Checkpoint& b, MatchOptions options) {
    options.resume = true;
    try {
      MatchWeights(a_, b, net_, options);
    } catch (const Error& error) {
      message_ = error.what();
      return error.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return ErrorCode::kStopped;
  }

  const SymmetryPtr net_ = testing::ResidualMlp(2, 8, 12);
  const Checkpoint a_ = testing::RandomModel(*net_, 1);
  const Checkpoint b_ = testing::RandomModel(*net_, 2);
  const TempDir folder_;
  const MatchOptions options_ = {.state_file = folder_ / "state",
                                 .state_seconds = 0};
  std::string message_;
};

TEST_F(StateFile, OfOtherModelsOrOptionsIsRefused) {
  EXPECT_EQ(Resumed(testing::RandomModel(*net_, 3), options_),
            ErrorCode::kMismatch);
  MatchOptions other = options_;
  other.max_passes = 7;
  EXPECT_EQ(Resumed(b_, other), ErrorCode::kMismatch);
}

TEST_F(StateFile, OfAnotherFormatIsRefused) {
  SaveCheckpoint(a_, options_.state_file, {.force = true});
  EXPECT_EQ(Resumed(b_, options_), ErrorCode::kMismatch);
}

// Every tensor in turn is missing, or has other numbers.
TEST_F(StateFile, ThatIsDamagedIsRefusedOrDoesNoHarm) {
  const Checkpoint whole = Checkpoint::Open(options_.state_file);
  const TempDir copies;
  for (const Tensor& damaged : whole.tensors()) {
    for (const unsigned char filler : {0x00, 0x7F, 0xFF}) {
      std::vector<Tensor> tensors = whole.tensors();
      for (Tensor& tensor : tensors) {
        if (tensor.name != damaged.name) continue;
        const auto bytes = std::make_shared<std::vector<std::byte>>(
            tensor.bytes.size(), std::byte{filler});
        tensor.bytes = *bytes;
        tensor.owner = bytes;
      }
      SaveCheckpoint(Checkpoint(tensors, whole.metadata()), copies / "state",
                     {.force = true});
      MatchOptions options = options_;
      options.state_file = copies / "state";
      options.resume = true;
      options.max_passes = 100;
      try {
        MatchWeights(a_, b_, net_, options);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kBadInput) << damaged.name;
      }
    }
    std::vector<Tensor> fewer;
    for (const Tensor& tensor : whole.tensors()) {
      if (tensor.name != damaged.name) fewer.push_back(tensor);
    }
    SaveCheckpoint(Checkpoint(fewer, whole.metadata()), copies / "state",
                   {.force = true});
  }
}

TEST_F(StateFile, WithoutItsPositionIsRefused) {
  const Checkpoint whole = Checkpoint::Open(options_.state_file);
  const Checkpoint held = whole;
  std::vector<Tensor> fewer;
  for (const Tensor& tensor : whole.tensors()) {
    if (tensor.name == "position") continue;
    const auto bytes = std::make_shared<std::vector<std::byte>>(
        tensor.bytes.begin(), tensor.bytes.end());
    fewer.push_back(tensor);
    fewer.back().bytes = *bytes;
    fewer.back().owner = bytes;
  }
  SaveCheckpoint(Checkpoint(fewer, whole.metadata()), options_.state_file,
                 {.force = true});
  EXPECT_EQ(Resumed(b_, options_), ErrorCode::kBadInput);
  EXPECT_NE(message_.find("position"), std::string::npos);
}

TEST_F(StateFile, IsForStartsThatDescendOnce) {
  MatchOptions options = options_;
  options.start = MatchStart::kAnnealed;
  EXPECT_EQ(Resumed(b_, options), ErrorCode::kUsage);
  options = options_;
  options.restarts = 1;
  EXPECT_EQ(Resumed(b_, options), ErrorCode::kUsage);
}

}  // namespace
}  // namespace rebasin
