// A training that was stopped and goes on is the training that was not.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "nn/small_networks.h"
#include "nn/state_files.h"
#include "rebasin/nn/train.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using testing::Blobs;
using testing::BytesOf;
using testing::GraphPtr;
using testing::SmallConvNet;

struct Training {
  GraphPtr graph = SmallConvNet();
  DataSplits data = {.train = Blobs({1, 8, 8}, 4, 90, 1),
                     .test = Blobs({1, 8, 8}, 4, 20, 2)};
  TrainOptions options = {.recipe = {.learning_rate = 0.01,
                                     .epochs = 3,
                                     .batch_size = 20,
                                     .augmentation = PaperAugmentation(),
                                     .seed = 4}};

  rebasin::Run run = {.threads = 1};

  TrainResult Run() const { return Train(graph, data, options, run); }
};

// Stops after `steps` more steps.
TrainResult RunUpTo(Training training, int steps) {
  training.run.progress = [&](const Progress&) { --steps; };
  training.run.stop = [&] { return steps <= 0; };
  return training.Run();
}

// Five steps an epoch: stops in the midst of the first and of the second, and
// between two.
void ExpectResumable(const Recipe& recipe) {
  Training training;
  training.options.recipe = recipe;
  const TrainResult whole = training.Run();
  const TempDir folder;
  training.options.state_file = folder / "state.safetensors";
  for (int steps : {1, 3, 5, 8}) {
    training.options.resume = false;
    const TrainResult part = RunUpTo(training, steps);
    EXPECT_EQ(part.end, TrainEnd::kStopped);
    EXPECT_EQ(part.steps, steps);
    ASSERT_TRUE(std::filesystem::exists(training.options.state_file));
    training.options.resume = true;
    const TrainResult rest = training.Run();
    EXPECT_EQ(rest.end, TrainEnd::kDone);
    EXPECT_EQ(rest.steps, whole.steps);
    EXPECT_EQ(BytesOf(rest.model), BytesOf(whole.model)) << steps;
    EXPECT_EQ(rest.epochs.back().loss, whole.epochs.back().loss);
    EXPECT_EQ(rest.epochs.back().test.loss, whole.epochs.back().test.loss);
    EXPECT_EQ(rest.epochs.front().loss,
              whole.epochs[whole.epochs.size() - rest.epochs.size()].loss);
    EXPECT_FALSE(std::filesystem::exists(training.options.state_file));
  }
  EXPECT_TRUE(folder.Files().empty());
}

TEST(Resume, GoesOnToTheSameBitsWithAdam) {
  ExpectResumable(Training().options.recipe);
}

TEST(Resume, GoesOnToTheSameBitsWithMomentumAndASchedule) {
  Recipe recipe = Training().options.recipe;
  recipe.optimizer = OptimizerKind::kSgd;
  recipe.weight_decay = 1e-3;
  recipe.warmup_epochs = 1;
  recipe.schedule = Schedule::kCosine;
  ExpectResumable(recipe);
}

TEST(Resume, MayHappenAgainAndAgain) {
  Training training;
  const TrainResult whole = training.Run();
  const TempDir folder;
  training.options.state_file = folder / "state.safetensors";
  TrainResult part = RunUpTo(training, 2);
  training.options.resume = true;
  int runs = 1;
  while (part.end == TrainEnd::kStopped) {
    part = RunUpTo(training, 2);
    ASSERT_LT(++runs, 20);
  }
  EXPECT_EQ(BytesOf(part.model), BytesOf(whole.model));
}

TEST(Resume, AskedToStopAtTheVeryEndIsDone) {
  Training training;
  const TempDir folder;
  training.options.state_file = folder / "state.safetensors";
  EXPECT_EQ(RunUpTo(training, 15).end, TrainEnd::kDone);
  EXPECT_TRUE(folder.Files().empty());
}

class Interrupted : public ::testing::Test {
 protected:
  Interrupted() {
    training_.options.state_file = folder_ / "state.safetensors";
    RunUpTo(training_, 3);
    training_.options.resume = true;
  }

  void ExpectRefused(ErrorCode code, const std::vector<std::string>& says) {
    ExpectError(code, says, [&] { training_.Run(); });
    EXPECT_TRUE(std::filesystem::exists(training_.options.state_file));
  }

  void Rewrite(const testing::ChangeState& change) {
    testing::RewriteState(training_.options.state_file, change);
  }

  void SetProgress(const std::string& key, const nlohmann::json& value) {
    testing::SetInState(training_.options.state_file, "rebasin.progress", key,
                        value);
  }

  TempDir folder_;
  Training training_;
};

TEST_F(Interrupted, RefusesAnotherRecipe) {
  training_.options.recipe.learning_rate = 0.02;
  ExpectRefused(ErrorCode::kMismatch, {"another run", "state"});
}

TEST_F(Interrupted, RefusesAnotherSeed) {
  training_.options.recipe.seed = 5;
  ExpectRefused(ErrorCode::kMismatch, {"another run"});
}

TEST_F(Interrupted, RefusesOtherData) {
  training_.data.train = Blobs({1, 8, 8}, 4, 80, 1);
  ExpectRefused(ErrorCode::kMismatch, {"another run"});
}

TEST_F(Interrupted, RefusesAnotherGraph) {
  training_.graph = SmallConvNet(7);
  ExpectRefused(ErrorCode::kMismatch, {"another run"});
}

TEST_F(Interrupted, RefusesAnotherNumberOfThreads) {
  training_.run.threads = 2;
  ExpectRefused(ErrorCode::kMismatch, {"number of threads"});
}

TEST_F(Interrupted, RefusesAStateThatWasCut) {
  const auto& path = training_.options.state_file;
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  ExpectRefused(ErrorCode::kBadInput, {"state.safetensors"});
}

TEST_F(Interrupted, RefusesAModelInPlaceOfAState) {
  SaveCheckpoint(InitialWeights(*training_.graph, Initialization::kKaiming, 1),
                 training_.options.state_file, {.force = true});
  ExpectRefused(ErrorCode::kBadInput, {"not the state of a training"});
}

TEST_F(Interrupted, RefusesAStateWithoutTheOptimizersMemory) {
  Rewrite([](auto&, auto& tensors) {
    std::erase_if(tensors, [](const Tensor& tensor) {
      return tensor.name == "rebasin:optimizer.second";
    });
  });
  ExpectRefused(ErrorCode::kBadInput, {"rebasin:optimizer.second"});
}

TEST_F(Interrupted, RefusesProgressThatIsNone) {
  Rewrite([](auto& metadata, auto&) { metadata["rebasin.progress"] = "{"; });
  ExpectRefused(ErrorCode::kBadInput, {"not a complete state of a training"});
}

TEST_F(Interrupted, RefusesStepsThatAreNoNumber) {
  SetProgress("steps", "three");
  ExpectRefused(ErrorCode::kBadInput, {"not a complete state of a training"});
}

TEST_F(Interrupted, RefusesProgressThatCannotBe) {
  SetProgress("batch", -1);
  ExpectRefused(ErrorCode::kBadInput, {"not a complete state of a training"});
  SetProgress("batch", 6);  // of five
  ExpectRefused(ErrorCode::kBadInput, {"not a complete state of a training"});
}

TEST_F(Interrupted, RefusesAnEpochThatCannotBe) {
  SetProgress("epoch", -3);
  ExpectRefused(ErrorCode::kBadInput, {"not a complete state of a training"});
}

TEST(Resume, RefusesWhereThereIsNoState) {
  const TempDir folder;
  Training training;
  training.options.state_file = folder / "state.safetensors";
  training.options.resume = true;
  ExpectError(ErrorCode::kIo, {"state.safetensors"}, [&] { training.Run(); });
}

}  // namespace
}  // namespace rebasin
