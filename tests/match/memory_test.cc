// Matching within a bound of memory, and what it is expected to take.

#include <gtest/gtest.h>

#include <string>

#include "match/cost_memory.h"
#include "rebasin/error.h"
#include "rebasin/match.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::SymmetryPtr;

class SlowMemory : public ::testing::Test {
 protected:
  SlowMemory()
      : a_(testing::RandomModel(*net_, 1)),
        noisy_(
            testing::ReferencePermute(testing::WithNoise(a_, 1, 3), hidden_)),
        unrelated_(testing::RandomModel(*net_, 2)) {}

  const SymmetryPtr net_ = testing::ResidualMlp(6, 400, 700);
  const Alignment hidden_ = Alignment::Random(net_, 4);
  const Checkpoint a_, noisy_, unrelated_;
  // Measured on no machine in particular.
  const MatchSpeed speed_ = {
      .flops = 1e11, .bfloat16_flops = 2e11, .bytes = 1e10, .solved = 1e9};
};

TEST_F(SlowMemory, CostsThatAreNotKeptGiveTheSameUnits) {
  for (const Checkpoint& b : {noisy_, unrelated_}) {
    const auto kept = MatchWeights(a_, b, net_);
    const auto computed = MatchWeights(a_, b, net_, {.cost_memory = 0});
    EXPECT_NEAR(computed.report.objective_after, kept.report.objective_after,
                1e-4 * kept.report.norm_a * kept.report.norm_b);
    EXPECT_TRUE(computed.report.converged);
  }
  EXPECT_TRUE(MatchWeights(a_, noisy_, net_, {.cost_memory = 0}).alignment ==
              hidden_.Inverse());
}

// Inner groups are matched with all that is known about them, and their
// neighbours do not change afterwards.
TEST_F(SlowMemory, CostsThatAreNotKeptAreNotComputedAgainIfNothingChanged) {
  const Checkpoint same = testing::ReferencePermute(a_, hidden_);
  const auto work = EstimateMatch(a_, net_, {.cost_memory = 0}, speed_);
  double start = 0;
  for (const GroupEstimate& group : work.groups) start += group.start_flops;
  const auto found = MatchWeights(a_, same, net_, {.cost_memory = 0});
  // Only those of the stream are completed.
  EXPECT_LT(found.report.gemm_flops, 1.8 * start);
}

TEST_F(SlowMemory, ABoundDecidesWhichCostsAreKept) {
  const int64_t costs = int64_t{700} * 700 * 4;
  for (const int64_t extra : {2 * costs, 4 * costs, 100 * costs}) {
    const MatchOptions options = {.memory = kMemoryBesideCosts + extra};
    const auto plan = EstimateMatch(a_, net_, options, speed_);
    EXPECT_LE(plan.memory, static_cast<double>(options.memory));
    bool some = false, all = true;
    for (const GroupEstimate& group : plan.groups) {
      some = some || group.keeps_costs;
      all = all && group.keeps_costs;
    }
    EXPECT_TRUE(some);
    EXPECT_EQ(all, extra == 100 * costs);
    EXPECT_TRUE(MatchWeights(a_, noisy_, net_, options).alignment ==
                hidden_.Inverse());
  }
}

TEST_F(SlowMemory, ABoundThatIsTooSmallNamesTheGroup) {
  const MatchOptions options = {.memory = kMemoryBesideCosts + 1000};
  for (const bool runs : {false, true}) {
    try {
      if (runs) {
        MatchWeights(a_, noisy_, net_, options);
      } else {
        EstimateMatch(a_, net_, options, speed_);
      }
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kLimit);
      EXPECT_NE(std::string(error.what()).find("\"H"), std::string::npos)
          << error.what();
    }
  }
}

TEST_F(SlowMemory, TheProductsOfRelatedModelsAreThoseOfThePlan) {
  const auto plan = EstimateMatch(a_, net_, {}, speed_);
  const double flops = MatchWeights(a_, noisy_, net_).report.gemm_flops;
  EXPECT_NEAR(plan.flops, flops, 0.25 * flops);
  EXPECT_GT(plan.unrelated_seconds, plan.seconds);
  EXPECT_EQ(plan.groups.size(), net_->groups().size());
}

}  // namespace
}  // namespace rebasin
