#include "nn/trial.h"

#include <gtest/gtest.h>

#include <limits>

#include "nn/small_networks.h"

namespace rebasin::nn {
namespace {

TrialResult Candidate(double loss, MergeVerdict verdict) {
  TrialResult result;
  result.evaluation.loss = result.evaluation.calibrated_loss = loss;
  result.kept.verdict = verdict;
  return result;
}

using Candidates = std::vector<TrialResult>;

constexpr auto kMerge = MergeVerdict::kKeepsAll;
constexpr auto kCopy = MergeVerdict::kMostlyOne;
constexpr auto kRuin = MergeVerdict::kWorseThanEither;

TEST(BestOf, TakesTheLowestLossAndTheFirstOfEqualOnes) {
  EXPECT_EQ(BestOf(Candidates{Candidate(2, kMerge), Candidate(1, kRuin),
                              Candidate(1, kMerge)}),
            1u);
}

TEST(BestOf, TakesNoCopyOfAParentHoweverGoodItIs) {
  EXPECT_EQ(BestOf(Candidates{Candidate(0.1, kCopy), Candidate(3, kRuin),
                              Candidate(1, kMerge)}),
            2u);
  EXPECT_EQ(BestOf(Candidates{Candidate(0.1, kCopy), Candidate(3, kRuin)}), 1u);
}

TEST(BestOf, TakesTheLowestLossWhereAllAreCopies) {
  EXPECT_EQ(BestOf(Candidates{Candidate(2, kCopy), Candidate(1, kCopy)}), 1u);
}

TEST(BestOf, TakesNoLossThatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(BestOf(Candidates{Candidate(nan, kMerge), Candidate(9, kMerge)}),
            1u);
  EXPECT_FALSE(BestOf(Candidates{Candidate(nan, kMerge)}));
}

class TrialTest : public ::testing::Test {
 protected:
  const testing::GraphPtr graph_ = testing::SmallMlp();
  const Checkpoint a_ = testing::RandomNetwork(*graph_, 1);
  const Checkpoint b_ = testing::RandomNetwork(*graph_, 2);
  const Dataset data_ = testing::Blobs({6}, 4, 400, 3);
};

TEST_F(TrialTest, SeesThatACandidateIsAParent) {
  const Trial trial(graph_, std::vector{a_, b_}, data_, {}, {}, {});
  const TrialResult copy = trial.Try(b_);
  EXPECT_EQ(copy.kept.verdict, MergeVerdict::kMostlyOne);
  EXPECT_EQ(copy.kept.mostly, 1u);
  EXPECT_GT(copy.evaluation.loss, 0);
}

TEST_F(TrialTest, OfOneParentTellsTheLossAlone) {
  const Trial trial(graph_, std::vector{a_}, data_, {}, {}, {});
  EXPECT_TRUE(trial.Try(a_).kept.parents.empty());
}

}  // namespace
}  // namespace rebasin::nn
