// Training from the command line: what it writes and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/trained.h"
#include "rebasin/checkpoint.h"

namespace rebasin {
namespace {

using testing::Arguments;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Outcome;
using testing::RunIn;
using testing::TrainDigits;
using testing::operator+;

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
  const Outcome run = RunIn(folder, TrainDigits("a.safetensors", 4, "1e30") +
                                        Arguments{"--optimizer", "sgd"});
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
    const Arguments train = {"train",       "--model", "mlp:width=24", "--data",
                             DIGITS_FOLDER, "-o",      "a.safetensors"};
    const Outcome run = RunIn(folder, train + more);
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

}  // namespace
}  // namespace rebasin
