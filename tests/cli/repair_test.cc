// Merged networks are repaired on data.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/trained.h"

namespace rebasin {
namespace {

using testing::Arguments;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::ResNetFolder;
using testing::TrainedFolder;
using testing::operator+;

const Arguments kMerge = {"merge", "a.safetensors", "b.safetensors", "-o",
                          "m.safetensors"};
const Arguments kDigits = {"--data", DIGITS_FOLDER};
const Arguments kImages = {"--data", "images"};

template <typename Folder>
double LossOf(const Folder& folder, const std::string& model,
              const Arguments& data) {
  const Outcome run = folder.Run(Arguments{"eval", model, "--json"} + data);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.json()["models"][0]["loss"];
}

TEST(Repair, TriesAllThatAppliesAndKeepsTheBest) {
  const TrainedFolder folder;
  const Outcome run = folder.Run(kMerge + kDigits);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* part :
       {"compared on 287 held-out examples", "none", "repair", "rescale",
        "least-squares", "bias", "kept: "}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
  EXPECT_THAT(run.out, Not(HasSubstr("\nbn ")));
  const auto json =
      folder.Run(kMerge + kDigits + Arguments{"--force", "--json"})
          .json()["repair"];
  ASSERT_EQ(json["tried"].size(), 5u);
  double least = 1e9;
  std::string best;
  for (const auto& one : json["tried"]) {
    const double loss = one["calibrated_loss"];
    EXPECT_LT(loss, one["loss"]);
    if (one["mostly_one_parent"]) continue;
    if (loss < least) best = one["repair"];
    least = std::min(least, loss);
  }
  EXPECT_EQ(json["kept"], best);
}

// The fifth that is held out otherwise would be 60.
TEST(Repair, ComparesOnExamplesBesideThoseOfTheRepairIfThereAreMore) {
  const TrainedFolder folder;
  const Outcome run =
      folder.Run(kMerge + kDigits + Arguments{"--calibrate", "300", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string chosen = run.json()["repair"]["kept"];
  const Checkpoint tried = Checkpoint::Open(folder / "m.safetensors");
  const Outcome named = folder.Run(
      kMerge + kDigits +
      Arguments{"--calibrate", "300", "--repair", chosen, "--force"});
  ASSERT_EQ(named.exit_code, 0) << named.err;
  const Checkpoint alone = Checkpoint::Open(folder / "m.safetensors");
  for (const Tensor& tensor : tried.tensors()) {
    EXPECT_TRUE(
        std::ranges::equal(tensor.bytes, alone.Find(tensor.name)->bytes))
        << tensor.name;
  }
  EXPECT_THAT(
      folder.Run(kMerge + kDigits + Arguments{"--calibrate", "300", "--force"})
          .out,
      HasSubstr("compared on 1,137 held-out examples"));
}

// Examples are drawn by the seed.
TEST(Repair, DependsOnTheSeed) {
  const TrainedFolder folder;
  const auto merged = [&](const std::string& seed) {
    const Outcome run = folder.Run(
        kMerge + kDigits +
        Arguments{"--repair", "least-squares", "--calibrate", "300", "--align",
                  "weights", "--judge", "0", "--seed", seed, "--force"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return ReadAll(folder / "m.safetensors");
  };
  EXPECT_EQ(merged("1"), merged("1"));
  EXPECT_NE(merged("1"), merged("2"));
}

TEST(Repair, MakesAMergedModelBetter) {
  const TrainedFolder folder;
  EXPECT_EQ(folder.Run(kMerge).exit_code, 0);
  const double before = LossOf(folder, "m.safetensors", kDigits);
  folder.Run(kMerge + kDigits + Arguments{"--force"});
  EXPECT_LT(LossOf(folder, "m.safetensors", kDigits), before);
}

TEST(Repair, DoesWhatItIsTold) {
  const TrainedFolder folder;
  for (const std::string method :
       {"repair", "rescale", "least-squares", "bias", "none"}) {
    const Outcome run = folder.Run(
        kMerge + kDigits +
        Arguments{"--repair", method, "--calibrate", "500", "--force"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, Not(HasSubstr("tried on")));
    if (method != "none") {
      EXPECT_THAT(run.out, HasSubstr("repaired (" + method + ")"));
    }
  }
}

TEST(Repair, CorrectsBiasesWithoutData) {
  const TrainedFolder folder;
  const Outcome run =
      folder.Run(kMerge + Arguments{"--repair", "bias", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json()["repair"]["kept"], "bias");
}

TEST(Repair, KeepsTheMetadata) {
  const TrainedFolder folder;
  folder.Run(kMerge + kDigits);
  const auto metadata = Checkpoint::Open(folder / "m.safetensors").metadata();
  EXPECT_EQ(metadata.at("rebasin.model"), "mlp:width=24,depth=2,in=64");
}

TEST(Repair, SaysThatThereIsNoBatchNorm) {
  const TrainedFolder folder;
  const Outcome run =
      folder.Run(kMerge + kDigits + Arguments{"--repair", "bn"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_TRUE(run.says("no BatchNorm")) << run.err;
  EXPECT_THAT(folder.Files(), Not(Contains("m.safetensors")));
}

TEST(Repair, NeedsDataAndAKnownMethod) {
  const TrainedFolder folder;
  const Outcome data = folder.Run(kMerge + Arguments{"--repair", "repair"});
  EXPECT_EQ(data.exit_code, 2);
  EXPECT_TRUE(data.says("--repair repair needs --data")) << data.err;
  const Outcome method =
      folder.Run(kMerge + kDigits + Arguments{"--repair", "soup"});
  EXPECT_EQ(method.exit_code, 2);
  EXPECT_TRUE(method.says("soup")) << method.err;
}

TEST(Repair, WarnsOfBatchNormWithoutData) {
  const ResNetFolder folder;
  const Outcome run = folder.Run(kMerge);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.says("BatchNorm")) << run.err;
  EXPECT_TRUE(run.says("--data")) << run.err;
}

TEST(Repair, RecalculatesBatchNorm) {
  const ResNetFolder folder;
  const Outcome run =
      folder.Run(kMerge + kImages + Arguments{"--repair", "bn"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(run.says("broken")) << run.err;
  EXPECT_THAT(run.out, HasSubstr("repaired (bn) with 48 examples"));
  EXPECT_LT(LossOf(folder, "m.safetensors", kImages), 10);
}

TEST(Repair, TriesBatchNormWhereThereIsOne) {
  const ResNetFolder folder;
  const Outcome run = folder.Run(kMerge + kImages + Arguments{"--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::vector<std::string> tried;
  const auto json = run.json();
  for (const auto& one : json["repair"]["tried"]) {
    tried.push_back(one["repair"]);
  }
  EXPECT_EQ(tried, (std::vector<std::string>{"none", "bn", "repair", "rescale",
                                             "least-squares"}));
}

}  // namespace
}  // namespace rebasin
