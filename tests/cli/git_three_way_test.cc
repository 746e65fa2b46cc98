// Three-way merges: changes that are added, and models that are averaged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "cli/program.h"
#include "cli/repository.h"
#include "rebasin/discovery.h"
#include "rebasin/merge.h"
#include "rebasin/zoo.h"

namespace rebasin {
namespace {

using testing::Difference;
using ::testing::HasSubstr;
using testing::LoadedFrom;
using testing::ModelFolder;
using testing::Outcome;
using testing::Repository;
using testing::Trained;
using testing::Words;

// Four states of one training: 0, 1, 2, 3, each a little further.
class Line : public Repository {
 public:
  Line() {
    ExpectGit({"tag", "v0"});
    states_.push_back(base());
    for (uint64_t i = 1; i <= 3; ++i) {
      states_.push_back(Trained(states_.back(), 0.05, i));
      Commit(states_.back());
      ExpectGit({"tag", "v" + std::to_string(i)});
    }
  }

  const Checkpoint& state(size_t i) const { return states_[i]; }

  // State `a` with what led from `b` to `c`.
  Checkpoint Plus(size_t a, size_t b, size_t c) const {
    const std::vector<MergeInput> models = {{&states_[a]}, {&states_[c]}};
    return Merge(models, {.base = {&states_[b]}});
  }

 private:
  std::vector<Checkpoint> states_;
};

TEST(GitThreeWay, ARevertTakesAnOlderChangeBack) {
  const Line line;
  line.ExpectGit({"revert", "--no-edit", "v2"});
  EXPECT_LT(Difference(line.Now(), line.Plus(3, 2, 1)), 1e-6);
  // What the later commit did is all there, and not half of it.
  EXPECT_GT(Difference(line.Now(), line.state(1)), 1e-3);
}

TEST(GitThreeWay, ARevertOfARevertGivesTheModelBack) {
  const Line line;
  line.ExpectGit({"revert", "--no-edit", "v2"});
  line.ExpectGit({"revert", "--no-edit", "HEAD"});
  EXPECT_LT(Difference(line.Now(), line.state(3)), 1e-6);
}

TEST(GitThreeWay, AnOlderCommitIsPickedAsAChange) {
  const Line line;
  line.ExpectGit({"checkout", "-q", "-b", "other", "v1"});
  line.ExpectGit({"cherry-pick", "v3"});
  EXPECT_LT(Difference(line.Now(), line.Plus(1, 2, 3)), 1e-6);
}

TEST(GitThreeWay, TheOptionOfTheDriverDecides) {
  const Line line;
  line.UseDriver("--three-way mean");
  const Outcome run = line.Git({"revert", "--no-edit", "v2"});
  EXPECT_THAT(run.out, HasSubstr("three-way: mean (requested)"));
  const std::vector<MergeInput> both = {{&line.state(3)}, {&line.state(1)}};
  EXPECT_LT(Difference(line.Now(), Merge(both)), 1e-6);
}

TEST(GitThreeWay, TheOutputTellsTheRuleAndTheReason) {
  const Line line;
  const Outcome run = line.Git({"revert", "--no-edit", "v2"});
  EXPECT_THAT(run.out + run.err,
              HasSubstr("three-way: ours + (theirs - base) (ours changed by"));
  EXPECT_THAT(run.out + run.err,
              HasSubstr("both models are close to the base"));
}

// Models of an architecture: a base and two sides trained from it.
class Sides : public ModelFolder {
 public:
  explicit Sides(const std::string& architecture) : model_(architecture) {
    base_ = RandomWeights(ZooGraph(architecture));
    Save("base.safetensors", base_);
    Save("ours.safetensors", Trained(base_, 0.05, 2));
    Save("theirs.safetensors", Trained(base_, 0.05, 3));
  }

  Outcome Merge(const Words& more = {}) const {
    Words words = {"merge",
                   "ours.safetensors",
                   "theirs.safetensors",
                   "--base",
                   "base.safetensors",
                   "--model",
                   model_,
                   "-o",
                   "merged.safetensors",
                   "--force",
                   "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Run(words);
  }

  static Checkpoint RandomWeights(const Graph& graph) {
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    std::vector<Tensor> tensors;
    for (const ValueId id : graph.weights()) {
      const Value& weight = graph.values()[id];
      int64_t size = 1;
      for (const int64_t dim : weight.shape) size *= dim;
      std::vector<float> values(static_cast<size_t>(size));
      for (float& value : values) value = normal(random);
      if (weight.name.ends_with("running_var")) {
        for (float& value : values) value = 1 + value * value;
      }
      tensors.push_back(MakeTensor(weight.name, weight.shape, values));
    }
    return Checkpoint(std::move(tensors));
  }

  const Checkpoint& base() const { return base_; }

 private:
  std::string model_;
  Checkpoint base_;
};

class ThreeWayArchitectures : public ::testing::TestWithParam<const char*> {};

TEST_P(ThreeWayArchitectures, ChangesOfOneLineAreAdded) {
  const Sides sides(GetParam());
  const Outcome run = sides.Merge();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json()["three_way"]["rule"], "delta");
  const Checkpoint ours = sides.Load("ours.safetensors");
  const Checkpoint theirs = sides.Load("theirs.safetensors");
  const std::vector<MergeInput> both = {{&ours}, {&theirs}};
  const Checkpoint wanted = Merge(both, {.base = {&sides.base()}});
  EXPECT_EQ(Difference(sides.Load("merged.safetensors"), wanted), 0);
}

TEST_P(ThreeWayArchitectures, ModelsTrainedApartAreAveraged) {
  const Sides sides(GetParam());
  sides.Save("theirs.safetensors",
             Trained(sides.base(), /*size=*/1.5, /*seed=*/9));
  const Outcome run = sides.Merge();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json()["three_way"]["rule"], "mean");
}

// Both sides have their units in an order of their own.
TEST_P(ThreeWayArchitectures, ChangesAreAddedUnitByUnit) {
  const Sides sides(GetParam());
  const Checkpoint ours = LoadedFrom(sides, "ours.safetensors");
  EXPECT_EQ(sides.Merge().exit_code, 0);
  const Checkpoint wanted = LoadedFrom(sides, "merged.safetensors");
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(ZooGraph(GetParam())).symmetry);
  const Alignment mine = Alignment::Random(symmetry, 4);
  sides.Save("ours.safetensors", Permute(ours, mine));
  sides.Save("theirs.safetensors",
             Permute(LoadedFrom(sides, "theirs.safetensors"),
                     Alignment::Random(symmetry, 5)));
  const Outcome run = sides.Merge();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json()["three_way"]["rule"], "delta");
  EXPECT_LT(Difference(sides.Load("merged.safetensors"), Permute(wanted, mine)),
            1e-5);
}

INSTANTIATE_TEST_SUITE_P(Of, ThreeWayArchitectures,
                         ::testing::Values("mlp:width=32,in=20",
                                           "resnet20:width=1",
                                           "lstm:width=16,vocab=20,in=8"));

}  // namespace
}  // namespace rebasin
