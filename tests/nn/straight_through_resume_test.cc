// Straight-through matching that was stopped and goes on is the one that was
// not.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "nn/small_networks.h"
#include "nn/state_files.h"
#include "rebasin/discovery.h"
#include "rebasin/nn/straight_through.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using testing::Blobs;
using testing::GraphPtr;
using testing::RandomNetwork;
using testing::SmallConvNet;
using testing::SmallMlp;

struct Matching {
  explicit Matching(GraphPtr the_graph = SmallMlp(6, 24, 4),
                    const Shape& example = {6})
      : graph(std::move(the_graph)), data(Blobs(example, 4, 120, 1)) {}

  GraphPtr graph;
  std::shared_ptr<const Symmetry> symmetry =
      std::make_shared<const Symmetry>(Discover(*graph).symmetry);
  Checkpoint a = RandomNetwork(*graph, 1), b = RandomNetwork(*graph, 2);
  Dataset data;
  StraightThroughOptions options = {.learning_rate = 0.02,
                                    .batch_size = 20,
                                    .max_epochs = 4,
                                    .held_out = 20,
                                    .evaluate_every = 3,
                                    .projection_share = 0.3};
  rebasin::Run run = {.threads = 1, .seed = 4};

  StraightThroughResult Run() const {
    return MatchStraightThrough(graph, a, b, symmetry, data, options, run);
  }
};

StraightThroughResult RunUpTo(Matching matching, int steps) {
  matching.run.progress = [&](const Progress& now) {
    steps -= now.stage.starts_with("straight-through") ? 1 : 0;
  };
  matching.run.stop = [&] { return steps <= 0; };
  return matching.Run();
}

// Five steps an epoch.
void ExpectResumable(Matching matching) {
  const StraightThroughResult whole = matching.Run();
  ASSERT_EQ(whole.steps, 20);
  const TempDir folder;
  matching.options.state_file = folder / "state.safetensors";
  for (int steps : {1, 3, 5, 8, 14}) {
    matching.options.resume = false;
    const StraightThroughResult part = RunUpTo(matching, steps);
    EXPECT_EQ(part.end, StraightThroughEnd::kStopped);
    EXPECT_EQ(part.steps, steps);
    ASSERT_TRUE(std::filesystem::exists(matching.options.state_file));
    matching.options.resume = true;
    const StraightThroughResult rest = matching.Run();
    EXPECT_EQ(rest.end, StraightThroughEnd::kDone);
    EXPECT_EQ(rest.steps, whole.steps);
    EXPECT_EQ(rest.alignment, whole.alignment);
    EXPECT_EQ(rest.best_loss, whole.best_loss);
    ASSERT_EQ(rest.history.size(), whole.history.size());
    for (size_t i = 0; i < whole.history.size(); ++i) {
      EXPECT_EQ(rest.history[i].step, whole.history[i].step);
      EXPECT_EQ(rest.history[i].loss, whole.history[i].loss);
      EXPECT_EQ(rest.history[i].train_loss, whole.history[i].train_loss);
      EXPECT_EQ(rest.history[i].units_moved, whole.history[i].units_moved);
    }
    EXPECT_FALSE(std::filesystem::exists(matching.options.state_file));
  }
  EXPECT_TRUE(folder.Files().empty());
}

TEST(StraightThroughResume, GoesOnToTheSameBits) {
  ExpectResumable(Matching());
}

TEST(StraightThroughResume, GoesOnToTheSameBitsInEachVariant) {
  Matching matching;
  matching.options.optimizer = OptimizerKind::kSgd;
  matching.options.latent = StraightThroughLatent::kMidpoint;
  matching.options.latent_start = StraightThroughStart::kMidpoint;
  matching.options.schedule = Schedule::kCosine;
  matching.options.lambda_low = 0.3;
  ExpectResumable(matching);
}

TEST(StraightThroughResume, GoesOnToTheSameBitsWithBatchNorm) {
  ExpectResumable(Matching(SmallConvNet(), {1, 8, 8}));
}

TEST(StraightThroughResume, AskedToStopAtTheVeryEndIsDone) {
  Matching matching;
  const TempDir folder;
  matching.options.state_file = folder / "state.safetensors";
  EXPECT_EQ(RunUpTo(matching, 20).end, StraightThroughEnd::kDone);
  EXPECT_TRUE(folder.Files().empty());
}

class InterruptedMatching : public ::testing::Test {
 protected:
  InterruptedMatching() {
    matching_.options.state_file = folder_ / "state.safetensors";
    RunUpTo(matching_, 4);
    matching_.options.resume = true;
  }

  void ExpectRefused(ErrorCode code, const std::vector<std::string>& says) {
    ExpectError(code, says, [&] { matching_.Run(); });
    EXPECT_TRUE(std::filesystem::exists(matching_.options.state_file));
  }

  void Rewrite(const testing::ChangeState& change) {
    testing::RewriteState(matching_.options.state_file, change);
  }

  void SetNote(const std::string& key, const nlohmann::json& value) {
    testing::SetInState(matching_.options.state_file, "rebasin.notes", key,
                        value);
  }

  TempDir folder_;
  Matching matching_;
};

TEST_F(InterruptedMatching, RefusesOtherOptions) {
  matching_.options.lambda_low = 0.4;
  ExpectRefused(ErrorCode::kMismatch, {"another run", "state"});
}

TEST_F(InterruptedMatching, RefusesOtherModels) {
  matching_.b = RandomNetwork(*matching_.graph, 3);
  ExpectRefused(ErrorCode::kMismatch, {"another run"});
}

TEST_F(InterruptedMatching, RefusesAnotherStart) {
  const auto start = Alignment::Random(matching_.symmetry, 1);
  matching_.options.start = &start;
  ExpectRefused(ErrorCode::kMismatch, {"another run"});
}

TEST_F(InterruptedMatching, RefusesTheStateOfATraining) {
  const TempDir folder;
  int steps = 2;
  TrainOptions training;
  training.recipe.batch_size = 20;
  training.state_file = folder / "state.safetensors";
  Train(matching_.graph, {.train = matching_.data, .test = {}}, training,
        {.progress = [&](const Progress&) { --steps; },
         .stop = [&] { return steps <= 0; }});
  matching_.options.state_file = folder / "state.safetensors";
  ExpectRefused(ErrorCode::kMismatch, {"another run"});
}

TEST_F(InterruptedMatching, RefusesUnitsThatAreNoPermutation) {
  Rewrite([](auto&, auto& tensors) {
    for (Tensor& tensor : tensors) {
      if (tensor.name != "rebasin:alignments") continue;
      const auto zeros =
          std::make_shared<std::vector<std::byte>>(tensor.bytes.size());
      tensor.bytes = *zeros;
      tensor.owner = zeros;
    }
  });
  ExpectRefused(ErrorCode::kBadInput, {"damaged"});
}

TEST_F(InterruptedMatching, RefusesAStateWithoutItsTensors) {
  for (const char* name :
       {"rebasin:alignments", "rebasin:history", "rebasin:duals"}) {
    RunUpTo(
        [&] {
          Matching fresh = matching_;
          fresh.options.resume = false;
          return fresh;
        }(),
        4);
    Rewrite([&](auto&, auto& tensors) {
      std::erase_if(tensors,
                    [&](const Tensor& tensor) { return tensor.name == name; });
    });
    ExpectRefused(ErrorCode::kBadInput, {"damaged"});
  }
}

TEST_F(InterruptedMatching, RefusesNotesThatCannotBe) {
  SetNote("next", 2);
  ExpectRefused(ErrorCode::kBadInput, {"damaged"});
  SetNote("next", 0);
  SetNote("duals", {24, 1000000});
  ExpectRefused(ErrorCode::kBadInput, {"damaged"});
  SetNote("duals", "many");
  ExpectRefused(ErrorCode::kBadInput, {"damaged"});
  Rewrite([](auto& metadata, auto&) { metadata["rebasin.notes"] = "{"; });
  ExpectRefused(ErrorCode::kBadInput, {"damaged"});
}

TEST(StraightThroughResume, RefusesWhereThereIsNoState) {
  const TempDir folder;
  Matching matching;
  matching.options.state_file = folder / "state.safetensors";
  matching.options.resume = true;
  ExpectError(ErrorCode::kIo, {"state.safetensors"}, [&] { matching.Run(); });
}

}  // namespace
}  // namespace rebasin
