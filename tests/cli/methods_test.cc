// Matching by every method, and comparing them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/trained.h"
#include "rebasin/align.h"

namespace rebasin {
namespace {

using testing::Arguments;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::ResNetFolder;
using testing::TrainedFolder;
using testing::operator+;

const Arguments kMatch = {"match", "a.safetensors", "b.safetensors"};
const Arguments kCompare = {"compare", "a.safetensors", "b.safetensors"};
const Arguments kDigits = {"--data", DIGITS_FOLDER};
// As little as shows that it runs.
const Arguments kShort = {"--ste-epochs", "2", "--moves", "20"};

TEST(Methods, EachFindsAnAlignmentThatCanBeApplied) {
  const TrainedFolder folder;
  for (const AlignMethod& row : AlignMethods()) {
    const std::string method = row.name;
    const Outcome run = folder.Run(
        kMatch + kDigits + kShort +
        Arguments{"--method", method, "-o", "x.json", "--json", "--force"});
    EXPECT_EQ(run.exit_code, 0) << method << run.err;
    EXPECT_EQ(run.json()["method"], method);
    EXPECT_EQ(folder
                  .Run({"apply", "b.safetensors", "--align", "x.json", "-o",
                        "y.safetensors", "--force"})
                  .exit_code,
              0)
        << method;
  }
}

TEST(Methods, EachTakesScalesAlong) {
  const TrainedFolder folder;
  for (const char* method : {"weights", "activations", "ste", "identity"}) {
    const Outcome run = folder.Run(kMatch + kDigits + kShort +
                                   Arguments{"--method", method, "--symmetries",
                                             "permute+scale+sign", "-o",
                                             "x.json", "--json", "--force"});
    EXPECT_EQ(run.exit_code, 0) << method << run.err;
    EXPECT_NE(run.json()["largest_scale"], 1) << method;
    const Outcome proof =
        folder.Run({"verify", "b.safetensors", "--align", "x.json"});
    EXPECT_EQ(proof.exit_code, 0) << method << proof.out << proof.err;
  }
}

TEST(Methods, ThoseThatRunNetworksSayThatTheyNeedData) {
  const TrainedFolder folder;
  for (const char* method : {"activations", "ste", "steepest", "annealing"}) {
    const Outcome run = folder.Run(kMatch + Arguments{"--method", method});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, HasSubstr("needs --data"));
  }
}

TEST(Methods, UnknownOnesAreSuggestedAnother) {
  const TrainedFolder folder;
  const Outcome run = folder.Run(kMatch + Arguments{"--method", "activation"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("activations"));
}

TEST(Methods, AreListedInTheHelp) {
  const TrainedFolder folder;
  const Outcome run = folder.Run({"match", "--help"});
  for (const char* method : {"weights", "activations", "ste", "annealing"}) {
    EXPECT_THAT(run.out, HasSubstr(std::string("\n  ") + method));
  }
}

TEST(Methods, ActivationsTakeACostAndAShareOfTheWeights) {
  const TrainedFolder folder;
  const Arguments activations =
      kMatch + kDigits + Arguments{"--method", "activations"};
  for (const Arguments& more :
       {Arguments{"--cost", "product"}, Arguments{"--mix", "0.5"},
        Arguments{"--match-samples", "50"}}) {
    EXPECT_EQ(folder.Run(activations + more).exit_code, 0) << more[0];
  }
  for (const Arguments& wrong :
       {Arguments{"--cost", "product2"}, Arguments{"--mix", "1"},
        Arguments{"--match-samples", "0"}}) {
    EXPECT_EQ(folder.Run(activations + wrong).exit_code, 2) << wrong[0];
  }
}

TEST(Methods, StraightThroughTakesEveryVariant) {
  const TrainedFolder folder;
  const Arguments ste =
      kMatch + kDigits + kShort + Arguments{"--method", "ste"};
  for (const Arguments& more :
       {Arguments{"--ste-start", "activations"},
        Arguments{"--ste-start", "random", "--ste-latent", "b"},
        Arguments{"--ste-learn", "midpoint", "--ste-projection", "product"},
        Arguments{"--ste-optimizer", "sgd", "--ste-lr", "0.1"},
        Arguments{"--ste-lambda", "0.3/0.7", "--ste-schedule", "cosine"}}) {
    const Outcome run = folder.Run(ste + more + Arguments{"--json"});
    EXPECT_EQ(run.exit_code, 0) << more[0] << run.err;
    EXPECT_LE(run.json()["best_loss"], run.json()["start_loss"]);
  }
  EXPECT_EQ(folder.Run(ste + Arguments{"--ste-start", "ste"}).exit_code, 2);
}

TEST(Methods, MergeAlignsByActivationsAndJudgesTheResult) {
  const ResNetFolder folder;
  const Outcome run = folder.Run(
      {"merge", "a.safetensors", "b.safetensors", "--align", "activations",
       "--data", "images", "--repair", "bn", "-o", "m.safetensors", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto judged = run.json()["judgement"];
  std::vector<std::string> names;
  for (const auto& model : judged["models"]) names.push_back(model["name"]);
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "model 1", "model 2", "ensemble", "plain average",
                "plain average, repaired", "aligned average", "merged"}));
  EXPECT_TRUE(judged["worse_than_best_parent"].is_boolean());
}

TEST(Methods, ManyModelsCanBeAlignedByActivations) {
  const TrainedFolder folder;
  const Outcome run =
      folder.Run(Arguments{"merge", "a.safetensors", "b.safetensors",
                           "a.safetensors", "--align", "activations", "-o",
                           "m.safetensors", "--repair", "none", "--json"} +
                 kDigits);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_EQ(json["judgement"]["pairs"].size(), 3u);
  EXPECT_LT(json["many"]["distances_after"][0][1],
            json["many"]["distances_before"][0][1]);
}

TEST(Methods, ManyModelsGoByWeightsOrActivationsOnly) {
  const TrainedFolder folder;
  const Outcome run = folder.Run(
      Arguments{"merge", "a.safetensors", "b.safetensors", "a.safetensors",
                "--align", "ste", "-o", "m.safetensors"} +
      kDigits);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("weights or activations"));
}

TEST(Methods, BestIsTheDefaultOfMergesWithData) {
  const TrainedFolder folder;
  const Arguments merge = {"merge",   "a.safetensors", "b.safetensors",
                           "-o",      "m.safetensors", "--json",
                           "--force", "--judge",       "0"};
  const Outcome run = folder.Run(merge + kDigits);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json()["align"], "best");
  const auto losses = run.json()["match"]["loss_half_way"];
  ASSERT_EQ(losses.size(), 3u);
  const auto tried = run.json()["match"]["tried"];
  ASSERT_EQ(tried.size(), 3u);
  for (const auto& one : tried) {
    EXPECT_LE(one["calibrated_loss"], one["loss"]);
    EXPECT_FALSE(one["mostly_one_parent"]);
  }
  EXPECT_EQ(folder.Run(merge).json()["align"], "weights");
}

TEST(Compare, PutsMethodsSideBySide) {
  const TrainedFolder folder;
  const Outcome run =
      folder.Run(kCompare + kDigits +
                 Arguments{"--methods", "identity,weights,activations",
                           "--points", "3", "--csv", "t.csv", "--curves",
                           "c.csv", "--plot", "p.svg", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto rows = run.json()["rows"];
  ASSERT_EQ(rows.size(), 6u);  // each as it is and repaired
  EXPECT_EQ(rows[0]["method"], "identity");
  EXPECT_EQ(rows[1]["repair"], "repair");
  EXPECT_LT(rows[2]["test"]["midpoint_loss"], rows[0]["test"]["midpoint_loss"]);
  EXPECT_EQ(rows[2]["test"]["points"].size(), 3u);
  for (const char* file : {"t.csv", "c.csv", "p.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / file)) << file;
  }
}

TEST(Compare, PrintsATable) {
  const TrainedFolder folder;
  const Outcome run = folder.Run(
      kCompare + kDigits +
      Arguments{"--methods", "weights", "--points", "2", "--repair", "none"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* part :
       {"method", "objective", "train barrier", "test midpoint", "seconds",
        "weights", "\nA ", "\nB "}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
}

TEST(Compare, RefusesMethodsThatThereAreNot) {
  const TrainedFolder folder;
  EXPECT_EQ(
      folder.Run(kCompare + kDigits + Arguments{"--methods", "weights,finest"})
          .exit_code,
      2);
}

}  // namespace
}  // namespace rebasin
