#include "rebasin/nn/knowledge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace rebasin {
namespace {

constexpr int kExamples = 20000;
constexpr int kClasses = 10;

// Networks that get an example right with a chance that is its own: most
// examples are easy, some are hopeless.
class Population {
 public:
  explicit Population(uint64_t seed) : random_(seed) {
    for (int i = 0; i < kExamples; ++i) {
      labels_.push_back(static_cast<int32_t>(i % kClasses));
      chances_.push_back(1 - std::pow(random_.Uniform(), 6));
    }
  }

  const std::vector<int32_t>& labels() const { return labels_; }

  // An independent network; `skill` scales what it gets wrong.
  Predictions Network(double skill = 1) {
    Predictions predictions;
    for (int i = 0; i < kExamples; ++i) {
      const bool right = random_.Uniform() < chances_[i] * skill;
      predictions.push_back(right ? labels_[i] : Wrong(i));
    }
    return predictions;
  }

  // `model`, with a share of its predictions replaced by wrong ones.
  Predictions Damaged(Predictions model, double share) {
    for (int i = 0; i < kExamples; ++i) {
      if (random_.Uniform() < share) model[i] = Wrong(i);
    }
    return model;
  }

  // Where the parents differ, that of one of them, drawn with the chance that
  // it is `first`: above one half where it is right, as an ensemble does.
  Predictions Mixed(const Predictions& a, const Predictions& b,
                    double chance_of_right) {
    Predictions mixed = a;
    for (int i = 0; i < kExamples; ++i) {
      const bool right = random_.Uniform() < chance_of_right;
      const bool a_right = a[i] == labels_[i];
      mixed[i] = right == a_right ? a[i] : b[i];
    }
    return mixed;
  }

 private:
  int32_t Wrong(int i) const { return (labels_[i] + 1) % kClasses; }

  Random random_;
  std::vector<int32_t> labels_;
  std::vector<double> chances_;
};

class Verdicts : public ::testing::Test {
 protected:
  Verdicts() : a_(networks_.Network()), b_(networks_.Network()) {}
  KeptKnowledge Of(const Predictions& merged) {
    const Predictions parents[] = {a_, b_};
    return WhatIsKept(networks_.labels(), parents, merged);
  }

  Population networks_{1};
  Predictions a_, b_;
};

TEST_F(Verdicts, TellACopyOfAParent) {
  const KeptKnowledge kept = Of(b_);
  EXPECT_EQ(kept.verdict, MergeVerdict::kMostlyOne);
  EXPECT_EQ(VerdictText(kept), "the merge is mostly model 2");
  EXPECT_EQ(kept.parents[0].only_this.value, 0);
  EXPECT_EQ(kept.parents[1].only_this.value, 1);
  EXPECT_EQ(kept.parents[1].agreement, 1);
}

TEST_F(Verdicts, TellADamagedCopyOfAParent) {
  for (const double damage : {0.02, 0.1, 0.3, 0.6}) {
    const KeptKnowledge kept = Of(networks_.Damaged(a_, damage));
    EXPECT_EQ(kept.verdict, MergeVerdict::kMostlyOne) << damage;
    EXPECT_EQ(kept.mostly, 0u) << damage;
  }
}

TEST_F(Verdicts, TellWhatKnowsMoreOfBothThanAThirdNetworkDoes) {
  const KeptKnowledge kept = Of(networks_.Mixed(a_, b_, 0.75));
  EXPECT_EQ(kept.verdict, MergeVerdict::kKeepsAll);
  EXPECT_EQ(VerdictText(kept), "the merge keeps knowledge of both parents");
}

TEST_F(Verdicts, TellAThirdNetwork) {
  const KeptKnowledge kept = Of(networks_.Network());
  EXPECT_TRUE(kept.verdict == MergeVerdict::kLikeUninvolved ||
              kept.verdict == MergeVerdict::kWorseThanEither)
      << VerdictText(kept);
  for (const KeptOfParent& parent : kept.parents) {
    EXPECT_NEAR(parent.only_this.value, *kept.uninvolved,
                4 * parent.only_this.error);
  }
}

TEST_F(Verdicts, TellARuin) {
  const KeptKnowledge kept =
      Of(networks_.Damaged(networks_.Mixed(a_, b_, 0.5), 0.3));
  EXPECT_EQ(VerdictText(kept), "the merge is worse than either parent");
}

// It has a half of one parent and a quarter of the other by accident, and is
// like neither.
TEST_F(Verdicts, TellARuinThatLeansToOneParent) {
  Predictions ruin = networks_.Damaged(networks_.Mixed(a_, b_, 0.5), 0.3);
  for (size_t i = 0; i < ruin.size(); ++i) {
    if (i % 3 == 0) ruin[i] = a_[i];
  }
  ruin = networks_.Damaged(ruin, 0.2);
  const KeptKnowledge kept = Of(ruin);
  EXPECT_GT(kept.parents[0].only_this.value,
            kept.parents[1].only_this.value + 0.15);
  EXPECT_EQ(kept.verdict, MergeVerdict::kWorseThanEither) << VerdictText(kept);
}

TEST_F(Verdicts, AreNotGivenOnFewExamples) {
  const std::vector<int32_t> labels = {0, 1, 2};
  const Predictions parents[] = {{0, 1, 0}, {0, 0, 2}};
  EXPECT_EQ(WhatIsKept(labels, parents, {0, 1, 2}).verdict,
            MergeVerdict::kTooFewExamples);
  const Predictions same[] = {a_, a_};
  EXPECT_EQ(WhatIsKept(networks_.labels(), same, a_).verdict,
            MergeVerdict::kTooFewExamples);
}

TEST(WhatIsKept, MeasuresAnUninvolvedNetworkByLeavingOneOut) {
  Population networks(2);
  const Predictions parents[] = {networks.Network(), networks.Network(),
                                 networks.Network()};
  const KeptKnowledge two =
      WhatIsKept(networks.labels(), {parents, 2}, parents[2]);
  const KeptKnowledge three =
      WhatIsKept(networks.labels(), parents, parents[2]);
  // The estimate from two parents is that of a fitted distribution, which is
  // not the one that the chances were drawn from.
  EXPECT_NEAR(*two.uninvolved, *three.uninvolved, 0.03);
  EXPECT_EQ(three.verdict, MergeVerdict::kMostlyOne);
  EXPECT_EQ(three.mostly, 2u);
}

TEST(UninvolvedShare, IsTheMeanOfTheBetaDistributionAfterBothOutcomes) {
  // Beta(2, 1): the mean is 2/3, and that of the square 1/2.
  EXPECT_NEAR(*UninvolvedShare(2.0 / 3, 0.5), 3.0 / 5, 1e-12);
  // All examples are alike: nothing is learnt from the other networks.
  EXPECT_NEAR(*UninvolvedShare(0.7, 0.49), 0.7, 1e-9);
  EXPECT_FALSE(UninvolvedShare(0.7, 0.7));
  EXPECT_FALSE(UninvolvedShare(1, 1));
}

TEST(WhatIsKept, HasAStandardErrorEvenWhereAllAreKept) {
  Population networks(3);
  const Predictions parents[] = {networks.Network(), networks.Network()};
  const KeptKnowledge kept = WhatIsKept(networks.labels(), parents, parents[0]);
  EXPECT_GT(kept.parents[0].only_this.error, 0);
  EXPECT_LT(kept.parents[0].only_this.error, 0.01);
}

}  // namespace
}  // namespace rebasin
