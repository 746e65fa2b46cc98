// Training from the command line: what it writes, and how it can be stopped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/trained.h"
#include "rebasin/checkpoint.h"

namespace rebasin {
namespace {

using testing::Arguments;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Outcome;
using testing::Program;
using testing::RunIn;
using testing::TrainDigits;
using testing::operator+;

constexpr const char* kState = "a.state.safetensors";

TEST(Train, WritesAModelThatSaysWhatItIs) {
  const TempDir folder;
  const Outcome run =
      RunIn(folder, TrainDigits("a.safetensors") + Arguments{"--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(folder.Files(), ElementsAre("a.safetensors"));
  const auto metadata = Checkpoint::Open(folder / "a.safetensors").metadata();
  EXPECT_EQ(metadata.at("rebasin.model"), "mlp:width=24,depth=2,in=64");
  EXPECT_EQ(metadata.at("rebasin.normalize"), "none");
  const auto json = run.json();
  EXPECT_EQ(json["end"], "done");
  EXPECT_EQ(json["steps"], 4 * 29);
  ASSERT_EQ(json["epochs"].size(), 4u);
  EXPECT_GT(json["epochs"][3]["test_accuracy"], 0.7);
  EXPECT_LT(json["epochs"][3]["train_loss"], json["epochs"][0]["train_loss"]);
  EXPECT_TRUE(run.says("epoch 4"));
}

TEST(Train, GivesTheSameBytesForTheSameSeed) {
  const TempDir folder;
  RunIn(folder, TrainDigits("a.safetensors", 1));
  RunIn(folder, TrainDigits("b.safetensors", 1));
  RunIn(folder, TrainDigits("c.safetensors", 1) + Arguments{"--seed", "1"});
  EXPECT_EQ(ReadAll(folder / "a.safetensors"),
            ReadAll(folder / "b.safetensors"));
  EXPECT_NE(ReadAll(folder / "a.safetensors"),
            ReadAll(folder / "c.safetensors"));
}

TEST(Train, RefusesToReplaceAModel) {
  const TempDir folder;
  folder.Write("a.safetensors", "precious");
  const Outcome run = RunIn(folder, TrainDigits("a.safetensors"));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(ReadAll(folder / "a.safetensors"), "precious");
  EXPECT_EQ(
      RunIn(folder, TrainDigits("a.safetensors", 1) + Arguments{"--force"})
          .exit_code,
      0);
}

TEST(Train, KeepsTheModelsOfEpochsInBetween) {
  const TempDir folder;
  RunIn(folder,
        TrainDigits("a.safetensors", 5) + Arguments{"--save-every", "2"});
  EXPECT_THAT(folder.Files(),
              ElementsAre("a.epoch2.safetensors", "a.epoch4.safetensors",
                          "a.safetensors"));
  RunIn(folder, TrainDigits("b.safetensors", 2));
  EXPECT_EQ(ReadAll(folder / "a.epoch2.safetensors"),
            ReadAll(folder / "b.safetensors"));
}

TEST(Train, StartsFromAModel) {
  const TempDir folder;
  RunIn(folder, TrainDigits("a.safetensors"));
  const Outcome run =
      RunIn(folder, TrainDigits("b.safetensors", 1) +
                        Arguments{"--from", "a.safetensors", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(run.json()["epochs"][0]["train_accuracy"], 0.7);
}

TEST(Train, WritesNothingWhenDry) {
  const TempDir folder;
  const Outcome run =
      RunIn(folder, TrainDigits("a.safetensors") + Arguments{"--dry-run"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("4 epochs"));
  EXPECT_THAT(folder.Files(), IsEmpty());
}

TEST(Train, LeavesTheLastGoodModelWhenItDiverges) {
  const TempDir folder;
  const Outcome run =
      RunIn(folder, TrainDigits("a.safetensors") +
                        Arguments{"--optimizer", "sgd", "--lr", "1e30"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_TRUE(run.says("diverged")) << run.err;
  EXPECT_TRUE(run.says("--lr")) << run.err;
  EXPECT_THAT(folder.Files(), ElementsAre("a.safetensors"));
  EXPECT_EQ(RunIn(folder, {"eval", "a.safetensors", "--data", DIGITS_FOLDER})
                .exit_code,
            0);
}

TEST(Train, HasHelp) {
  const TempDir folder;
  const Outcome run = RunIn(folder, {"train", "--help"});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* flag : {"--recipe", "--data", "--resume", "Examples:"}) {
    EXPECT_THAT(run.out, HasSubstr(flag));
  }
}

TEST(Train, RefusesWhatItDoesNotKnow) {
  const TempDir folder;
  const auto refuse = [&](const Arguments& more, int code,
                          const std::string& says) {
    const Outcome run = RunIn(folder, TrainDigits("a.safetensors") + more);
    EXPECT_EQ(run.exit_code, code) << run.err;
    EXPECT_TRUE(run.says(says)) << run.err;
    EXPECT_THAT(folder.Files(), IsEmpty());
  };
  refuse({"--lr", "fast"}, 2, "--lr");
  refuse({"--lr", "-1"}, 2, "learning rate");
  refuse({"--epochs", "0"}, 2, "--epochs");
  refuse({"--optimizer", "soup"}, 2, "soup");
  refuse({"--recipe", "soup"}, 2, "soup");
  refuse({"--schedule", "soup"}, 2, "soup");
  refuse({"--device", "abacus"}, 2, "abacus");
  refuse({"--fraction", "2"}, 2, "--fraction");
  refuse({"--classes", "77"}, 2, "77");
  refuse({"--split-bias", "0.2"}, 2, "--split-bias");
  refuse({"--from", "nowhere.safetensors"}, 5, "nowhere");
  refuse({"--sed", "1"}, 2, "--seed");
}

TEST(Train, NeedsAModelAndData) {
  const TempDir folder;
  const Outcome model =
      RunIn(folder, {"train", "--data", DIGITS_FOLDER, "-o", "a.safetensors"});
  EXPECT_EQ(model.exit_code, 2);
  EXPECT_TRUE(model.says("--model is missing")) << model.err;
  const Outcome data = RunIn(folder, {"train", "--model", "mlp", "--data",
                                      "nowhere", "-o", "a.safetensors"});
  EXPECT_EQ(data.exit_code, 5);
  EXPECT_TRUE(data.says("nowhere")) << data.err;
}

// Long enough to be interrupted.
constexpr int kEpochs = 60;

void Interrupt(const TempDir& folder, int signal, int exit_code) {
  Program program(folder, TrainDigits("a.safetensors", kEpochs));
  ASSERT_TRUE(program.WaitUntilItSays("epoch 2 "));
  program.Signal(signal);
  const Outcome stopped = program.Wait();
  EXPECT_EQ(stopped.exit_code, exit_code) << stopped.err;
  EXPECT_TRUE(stopped.says("--resume")) << stopped.err;
  EXPECT_THAT(folder.Files(), ElementsAre(kState));
}

void ExpectResumed(const TempDir& folder) {
  const Outcome rest = RunIn(
      folder, TrainDigits("a.safetensors", kEpochs) + Arguments{"--resume"});
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_THAT(folder.Files(), ElementsAre("a.safetensors"));
  const TempDir other;
  RunIn(other, TrainDigits("a.safetensors", kEpochs));
  EXPECT_EQ(ReadAll(folder / "a.safetensors"),
            ReadAll(other / "a.safetensors"));
}

TEST(Train, GoesOnAfterSigintAsIfNothingHadBeen) {
  const TempDir folder;
  Interrupt(folder, SIGINT, 130);
  ExpectResumed(folder);
}

TEST(Train, GoesOnAfterSigtermAsIfNothingHadBeen) {
  const TempDir folder;
  Interrupt(folder, SIGTERM, 143);
  ExpectResumed(folder);
}

TEST(Train, RefusesToForgetATrainingThatWasInterrupted) {
  const TempDir folder;
  Interrupt(folder, SIGINT, 130);
  const std::string state = ReadAll(folder / kState);
  const Outcome anew = RunIn(folder, TrainDigits("a.safetensors", 1));
  EXPECT_EQ(anew.exit_code, 2);
  EXPECT_TRUE(anew.says("--resume")) << anew.err;
  EXPECT_TRUE(anew.says("--force")) << anew.err;
  const Outcome other =
      RunIn(folder, TrainDigits("a.safetensors", 1) + Arguments{"--resume"});
  EXPECT_EQ(other.exit_code, 4) << other.err;
  EXPECT_TRUE(other.says("another training")) << other.err;
  EXPECT_EQ(ReadAll(folder / kState), state);
  const Outcome forced =
      RunIn(folder, TrainDigits("a.safetensors", 1) + Arguments{"--force"});
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_THAT(folder.Files(), ElementsAre("a.safetensors"));
}

TEST(Train, StartsAnewWhereThereIsNothingToResume) {
  const TempDir folder;
  const Outcome run =
      RunIn(folder, TrainDigits("a.safetensors", 1) + Arguments{"--resume"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.says("no state to resume")) << run.err;
}

TEST(Train, SaysThatAStateIsDamaged) {
  const TempDir folder;
  folder.Write(kState, "not a state");
  const Outcome run =
      RunIn(folder, TrainDigits("a.safetensors", 1) + Arguments{"--resume"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_TRUE(run.says(kState)) << run.err;
}

}  // namespace
}  // namespace rebasin
