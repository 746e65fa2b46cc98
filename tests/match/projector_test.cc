// Projecting weights that move.

#include "match/descent/projector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "rebasin/match.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::AllKinds;
using testing::SymmetryPtr;

// A model whose numbers can be changed in place.
class MovingModel {
 public:
  explicit MovingModel(const Checkpoint& model) {
    std::vector<Tensor> tensors = model.tensors();
    for (Tensor& tensor : tensors) {
      const auto numbers = FloatsInPlace(tensor);
      const auto mine =
          std::make_shared<std::vector<float>>(numbers.begin(), numbers.end());
      numbers_.push_back(mine);
      tensor.bytes = std::as_bytes(std::span(*mine));
      tensor.owner = mine;
    }
    view_ = Checkpoint(std::move(tensors));
  }

  const Checkpoint& view() const { return view_; }

  void Set(const Checkpoint& model) {
    for (size_t t = 0; t < numbers_.size(); ++t) {
      const auto from = FloatsInPlace(model.tensors()[t]);
      std::copy(from.begin(), from.end(), numbers_[t]->begin());
    }
  }

  // Towards other random numbers.
  void Drift(double by, uint64_t seed) {
    Random random(seed);
    for (const auto& tensor : numbers_) {
      for (float& x : *tensor) x += static_cast<float>(by * random.Normal());
    }
  }

  std::vector<float>& numbers(size_t tensor) { return *numbers_[tensor]; }

 private:
  std::vector<std::shared_ptr<std::vector<float>>> numbers_;
  Checkpoint view_;
};

double Objective(const Checkpoint& a, const Checkpoint& b,
                 const Alignment& alignment) {
  return DescribeAlignment(a, b, alignment, {.threads = 1}).objective_after;
}

double Scale(const Checkpoint& a, const Checkpoint& b) {
  const MatchReport report =
      MatchWeights(a, b, std::make_shared<const Symmetry>(), {}, {.threads = 1})
          .report;
  return report.norm_a * report.norm_b;
}

TEST(Projector, ConvergesToWhatMatchingFinds) {
  ThreadPool pool(2);
  for (const SymmetryPtr& symmetry : AllKinds()) {
    const Checkpoint a = testing::RandomModel(*symmetry, 1);
    const Checkpoint b = testing::RandomModel(*symmetry, 2);
    const auto start = Alignment::Random(symmetry, 3);
    Projector projector(a, b, start, pool);
    EXPECT_TRUE(projector.Converge());
    const MatchResult matched = MatchWeights(
        a, b, symmetry, {.start = MatchStart::kGiven, .from = &start});
    EXPECT_EQ(projector.alignment(), matched.alignment);
  }
}

TEST(Projector, FollowsWeightsThatAreChangedInPlace) {
  ThreadPool pool(1);
  for (const SymmetryPtr& symmetry : AllKinds()) {
    const Checkpoint b = testing::RandomModel(*symmetry, 2);
    MovingModel moving(testing::RandomModel(*symmetry, 1));
    Projector projector(moving.view(), b, Alignment(symmetry), pool);
    EXPECT_TRUE(projector.Converge());
    moving.Set(testing::RandomModel(*symmetry, 4));
    const Alignment before = projector.alignment();
    EXPECT_TRUE(projector.Converge());
    const MatchResult matched =
        MatchWeights(moving.view(), b, symmetry,
                     {.start = MatchStart::kGiven, .from = &before});
    EXPECT_EQ(projector.alignment(), matched.alignment);
    EXPECT_NE(projector.alignment(), before);
  }
}

TEST(Projector, FindsTheModelItselfWhenTheWeightsComeToIt) {
  ThreadPool pool(1);
  const SymmetryPtr symmetry = testing::Mlp({6, 20, 16, 12, 4});
  const Checkpoint b = testing::RandomModel(*symmetry, 2);
  const auto truth = Alignment::Random(symmetry, 5);
  MovingModel moving(testing::RandomModel(*symmetry, 1));
  Projector projector(moving.view(), b, Alignment(symmetry), pool);
  projector.Converge();
  moving.Set(testing::ReferencePermute(b, truth));
  projector.Converge();
  EXPECT_EQ(projector.alignment(), truth);
}

TEST(Projector, NeverLowersTheObjectiveOfThePresentWeights) {
  ThreadPool pool(1);
  for (const SymmetryPtr& symmetry : AllKinds()) {
    const Checkpoint b = testing::RandomModel(*symmetry, 2);
    MovingModel moving(testing::RandomModel(*symmetry, 1));
    Projector projector(moving.view(), b, Alignment::Random(symmetry, 3), pool);
    for (int step = 0; step < 30; ++step) {
      moving.Drift(0.05, step);
      const double before = Objective(moving.view(), b, projector.alignment());
      EXPECT_TRUE(projector.Follow(20000));
      const double after = Objective(moving.view(), b, projector.alignment());
      EXPECT_GE(after, before - 1e-6 * Scale(moving.view(), b));
    }
  }
}

TEST(Projector, SpendsWhatItIsGrantedAndVisitsAllInTurn) {
  ThreadPool pool(1);
  const SymmetryPtr symmetry = testing::Mlp({64, 64, 64, 64, 10});
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  const Checkpoint b = testing::RandomModel(*symmetry, 2);
  Projector projector(a, b, Alignment(symmetry), pool);
  EXPECT_EQ(projector.trees(), 3);
  // The first visit is paid for, and puts it into debt.
  projector.Follow(1);
  EXPECT_EQ(projector.State().next, 1);
  EXPECT_LT(projector.State().credit, 0);
  const Alignment once = projector.alignment();
  projector.Follow(1);
  EXPECT_EQ(projector.State().next, 1);
  EXPECT_EQ(projector.alignment(), once);
  // In time, small grants come to what a large one does.
  for (int i = 0; i < 2000; ++i) projector.Follow(1e5);
  Projector other(a, b, Alignment(symmetry), pool);
  other.Converge();
  EXPECT_EQ(projector.alignment(), other.alignment());
  // Where there is nothing to do, nothing is saved up.
  projector.Follow(1e12);
  EXPECT_EQ(projector.State().credit, 0);
}

TEST(Projector, GoesOnFromItsState) {
  ThreadPool pool(1), two(2);
  const SymmetryPtr symmetry = testing::Mlp({16, 40, 40, 40, 4});
  const Checkpoint b = testing::RandomModel(*symmetry, 2);
  MovingModel moving(testing::RandomModel(*symmetry, 1));
  Projector whole(moving.view(), b, Alignment(symmetry), pool);
  for (int step = 0; step < 7; ++step) {
    moving.Drift(0.05, step);
    whole.Follow(1e6);
  }
  Projector resumed(moving.view(), b, Alignment(symmetry), two);
  resumed.Restore(whole.alignment(), whole.State());
  for (int step = 7; step < 14; ++step) {
    moving.Drift(0.05, step);
    whole.Follow(1e6);
    resumed.Follow(1e6);
    EXPECT_EQ(whole.alignment(), resumed.alignment());
    EXPECT_EQ(whole.State().credit, resumed.State().credit);
    EXPECT_EQ(whole.State().next, resumed.State().next);
  }
}

TEST(Projector, StaysWhereItIsWhenWeightsAreNotFinite) {
  ThreadPool pool(1);
  const SymmetryPtr symmetry = testing::Mlp({6, 20, 16, 4});
  const Checkpoint b = testing::RandomModel(*symmetry, 2);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), 1e38f}) {
    MovingModel moving(testing::RandomModel(*symmetry, 1));
    Projector projector(moving.view(), b, Alignment(symmetry), pool);
    EXPECT_TRUE(projector.Converge());
    const Alignment before = projector.alignment();
    for (size_t t = 0; t < moving.view().tensors().size(); ++t) {
      moving.numbers(t)[0] = bad;
    }
    EXPECT_FALSE(projector.Converge());
    EXPECT_EQ(projector.alignment(), before);
  }
}

TEST(Projector, HasNothingToDoWithoutGroups) {
  ThreadPool pool(1);
  const SymmetryPtr symmetry = testing::Mlp({6, 4});
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  Projector projector(a, a, Alignment(symmetry), pool);
  EXPECT_EQ(projector.trees(), 0);
  EXPECT_TRUE(projector.Follow(100));
  EXPECT_TRUE(projector.alignment().IsIdentity());
}

}  // namespace
}  // namespace rebasin
