// Every command does what it is for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "rebasin/merge.h"
#include "support/comma_locale.h"

namespace rebasin {
namespace {

using ::testing::HasSubstr;
using testing::ModelFolder;
using ::testing::Not;
using testing::Outcome;

using Words = std::vector<std::string>;

const Words kMerge = {"merge",        "a.safetensors", "b.safetensors",
                      "--spec",       "mlp",           "-o",
                      "m.safetensors"};

std::vector<std::string> operator+(std::vector<std::string> args,
                                   const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(Inspect, ShowsTensorsGroupsAndSymmetries) {
  const ModelFolder folder;
  const Outcome run = folder.Run({"inspect", "a.safetensors", "--spec", "mlp"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* part :
       {"fc1.weight", "[128, 64]", "[P0, 64]", "10^431", "26,122 parameters"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
}

TEST(Inspect, TellsMachinesTheSame) {
  const ModelFolder folder;
  const auto json =
      folder.Run({"inspect", "a.safetensors", "--spec", "mlp", "--json"})
          .json();
  EXPECT_EQ(json["parameters"], 26122);
  EXPECT_EQ(json["groups"].size(), 2u);
  EXPECT_EQ(json["tensors"][1]["axes"][0], "P0");
  EXPECT_NEAR(json["log10_symmetries"].get<double>(), 431.17, 0.01);
}

TEST(Match, FindsAnAlignmentThatApplyTakes) {
  const ModelFolder folder;
  const Outcome match = folder.Run({"match", "a.safetensors", "b.safetensors",
                                    "--spec", "mlp", "-o", "x.json", "--json"});
  EXPECT_EQ(match.exit_code, 0) << match.err;
  EXPECT_GT(match.json()["after"]["cosine"], 0.97);
  EXPECT_LT(match.json()["before"]["cosine"], 0.1);
  EXPECT_EQ(match.json()["converged"], true);
  const Outcome apply = folder.Run(
      {"apply", "b.safetensors", "--align", "x.json", "-o", "b2.safetensors"});
  EXPECT_EQ(apply.exit_code, 0) << apply.err;
  const Outcome again =
      folder.Run({"match", "a.safetensors", "b2.safetensors", "--spec", "mlp"});
  EXPECT_THAT(again.out, HasSubstr("these models are already aligned"));
}

TEST(Match, ShowsEveryTensorWhenVerbose) {
  const ModelFolder folder;
  const Outcome run = folder.Run(
      {"match", "a.safetensors", "b.safetensors", "--spec", "mlp", "-v"});
  EXPECT_THAT(run.out, HasSubstr("fc3.bias"));
  EXPECT_THAT(run.out, HasSubstr("P1"));
}

TEST(Apply, GivesTheSameBytesAfterTheInverse) {
  const ModelFolder folder;
  folder.Run({"match", "a.safetensors", "b.safetensors", "--spec", "mlp", "-o",
              "x.json"});
  folder.Run({"apply", "b.safetensors", "--align", "x.json", "-o",
              "there.safetensors"});
  folder.Run({"apply", "there.safetensors", "--align", "x.json", "--inverse",
              "-o", "back.safetensors"});
  EXPECT_NE(ReadAll(folder / "there.safetensors"),
            ReadAll(folder / "b.safetensors"));
  EXPECT_EQ(ReadAll(folder / "back.safetensors"),
            ReadAll(folder / "b.safetensors"));
}

TEST(Apply, WritesTheFormatThatTheNameSays) {
  const ModelFolder folder;
  folder.Run({"match", "a.safetensors", "b.safetensors", "--spec", "mlp", "-o",
              "x.json"});
  for (const std::string name : {"out.safetensors", "out.pt"}) {
    const Outcome run =
        folder.Run({"apply", "b.safetensors", "--align", "x.json", "-o", name});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  EXPECT_EQ(ReadAll(folder / "out.pt").substr(0, 2), "PK");
  EXPECT_TRUE(
      SameContent(folder.Load("out.pt"), folder.Load("out.safetensors")));
}

TEST(Merge, BringsTheModelsTogether) {
  const ModelFolder folder;
  const Outcome run = folder.Run(kMerge + std::vector<std::string>{"--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(run.json()["match"]["after"]["cosine"], 0.97);
  const auto diff =
      folder.Run({"diff", "a.safetensors", "m.safetensors", "--json"}).json();
  EXPECT_GT(diff["before"]["cosine"], 0.97);
}

TEST(Merge, TakesAllItsShareFromOneModel) {
  const ModelFolder folder;
  EXPECT_EQ(
      folder.Run(kMerge + std::vector<std::string>{"--lambda", "0"}).exit_code,
      0);
  EXPECT_EQ(ReadAll(folder / "m.safetensors"),
            ReadAll(folder / "a.safetensors"));
}

TEST(Merge, SavesTheAlignment) {
  const ModelFolder folder;
  folder.Run(kMerge + std::vector<std::string>{"--save-align", "x.json",
                                               "--lambda", "1"});
  EXPECT_EQ(folder
                .Run({"apply", "b.safetensors", "--align", "x.json", "-o",
                      "b2.safetensors"})
                .exit_code,
            0);
  EXPECT_EQ(ReadAll(folder / "b2.safetensors"),
            ReadAll(folder / "m.safetensors"));
}

TEST(Merge, WritesTheFormatThatTheNameSays) {
  const ModelFolder folder;
  folder.Run(kMerge);
  for (const std::string name : {"m.pt", "m.npz"}) {
    Words words = kMerge;
    words.back() = name;
    const Outcome run = folder.Run(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(ReadAll(folder / name).substr(0, 2), "PK");
    EXPECT_TRUE(SameContent(folder.Load(name), folder.Load("m.safetensors")));
  }
  Words words = kMerge;
  words.back() = "m.bin";
  EXPECT_EQ(folder.Run(words).exit_code, 3);
}

TEST(Merge, TakesFromOneModelWhatItAloneHasChanged) {
  const ModelFolder folder;
  const Checkpoint base = folder.Load("a.safetensors");
  folder.Save("c.safetensors",
              testing::With(base, MakeTensor("fc3.bias", {10},
                                             std::vector<float>(10, 2.0F))));
  const Outcome run =
      folder.Run({"merge", "a.safetensors", "c.safetensors", "--spec", "mlp",
                  "--base", "a.safetensors", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 tensor of 6 changed by one model only"));
  EXPECT_TRUE(
      SameContent(folder.Load("m.safetensors"), folder.Load("c.safetensors")));
}

TEST(Merge, RunsEveryMethod) {
  const ModelFolder folder;
  for (const char* method : {"linear", "slerp", "many"}) {
    const Outcome run = folder.Run(
        kMerge + std::vector<std::string>{"--method", method, "--force"});
    EXPECT_EQ(run.exit_code, 0) << method << run.err;
  }
}

TEST(Merge, MergesManyModels) {
  const ModelFolder folder;
  const Outcome run =
      folder.Run({"merge", "a.safetensors", "b.safetensors", "a.safetensors",
                  "--spec", "mlp", "--weights", "0.5,0.25,0.25", "-o",
                  "m.safetensors", "--json", "--save-align", "x.json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json()["many"]["converged"], true);
  for (const char* file : {"x-1.json", "x-2.json", "x-3.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << file;
  }
}

TEST(Merge, BringsManyModelsTogetherByEveryMethod) {
  const ModelFolder folder;
  for (const char* method : {"mergemany", "consistent", "frank-wolfe"}) {
    const Outcome run = folder.Run(
        {"merge", "a.safetensors", "b.safetensors", "a.safetensors", "--spec",
         "mlp", "--many", method, "-o", "m.safetensors", "--json", "--force"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const auto many = run.json()["many"];
    EXPECT_EQ(many["method"], method);
    ASSERT_EQ(many["distances_after"].size(), 3u);
    EXPECT_EQ(many["distances_after"][0][2], 0);
    EXPECT_EQ(many["distances_after"][0][1], many["distances_after"][1][0]);
    EXPECT_LT(many["distances_after"][0][1], many["distances_before"][0][1]);
  }
}

TEST(Merge, ShowsTheDistancesOfFewModelsInATable) {
  const ModelFolder folder;
  const Outcome run =
      folder.Run({"merge", "a.safetensors", "b.safetensors", "a.safetensors",
                  "--spec", "mlp", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("below the diagonal before"));
  EXPECT_THAT(run.out, HasSubstr("model"));
}

TEST(Merge, SumsUpTheDistancesOfManyModels) {
  const ModelFolder folder;
  std::vector<std::string> args = {"merge"};
  for (int m = 0; m < 9; ++m) {
    args.push_back(m % 2 == 0 ? "a.safetensors" : "b.safetensors");
  }
  const Outcome run = folder.Run(
      args + std::vector<std::string>{"--spec", "mlp", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("least"));
  EXPECT_THAT(run.out, Not(HasSubstr("diagonal")));
}

TEST(Merge, RefusesManyWhereItMeansNothing) {
  const ModelFolder folder;
  const Outcome two =
      folder.Run(kMerge + std::vector<std::string>{"--many", "consistent"});
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_TRUE(two.says("--interpolation many")) << two.err;
  const Outcome word =
      folder.Run(kMerge + std::vector<std::string>{"--method", "many", "--many",
                                                   "centred"});
  EXPECT_EQ(word.exit_code, 2);
  EXPECT_TRUE(word.says("--many")) << word.err;
}

TEST(Merge, WritesShards) {
  const ModelFolder folder;
  const Outcome run =
      folder.Run(kMerge + std::vector<std::string>{"--shard-size", "50kB"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Checkpoint sharded = folder.Load("m.safetensors.index.json");
  EXPECT_EQ(sharded.tensors().size(), 6u);
}

TEST(Diff, RecognisesAPermutedCopy) {
  const ModelFolder folder;
  folder.Run({"match", "a.safetensors", "b.safetensors", "--spec", "mlp", "-o",
              "x.json"});
  folder.Run(
      {"apply", "b.safetensors", "--align", "x.json", "-o", "b2.safetensors"});
  const Outcome run = folder.Run(
      {"diff", "b.safetensors", "b2.safetensors", "--spec", "mlp", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json()["verdict"], "equal_modulo_symmetry");
  // The structure is found out without being told, too.
  const Outcome alone = folder.Run({"diff", "b.safetensors", "b2.safetensors"});
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_THAT(alone.out, HasSubstr("recognised as mlp"));
}

TEST(Diff, ComparesWhatItDoesNotRecogniseAsItIs) {
  const ModelFolder folder;
  const std::vector<float> x(6, 1), y(6, 2);
  folder.Save("x.safetensors", Checkpoint({MakeTensor("odd", {2, 3}, x)}));
  folder.Save("y.safetensors", Checkpoint({MakeTensor("odd", {2, 3}, y)}));
  const Outcome run = folder.Run({"diff", "x.safetensors", "y.safetensors"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, HasSubstr("the models differ"));
  EXPECT_THAT(run.err, HasSubstr("compared without alignment"));
}

TEST(Merge, RecognisesTheModelsWithoutBeingTold) {
  const ModelFolder folder;
  const Outcome run = folder.Run(
      {"merge", "a.safetensors", "b.safetensors", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("recognised as mlp"));
  EXPECT_THAT(run.out, HasSubstr("verified"));
}

TEST(Merge, KnowsTheOldNameOfInterpolation) {
  const ModelFolder folder;
  const Outcome run = folder.Run({"merge", "a.safetensors", "b.safetensors",
                                  "--method", "slerp", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("now called --interpolation"));
}

TEST(Diff, ExitsWithOneForDifferentModels) {
  const ModelFolder folder;
  const Outcome run =
      folder.Run({"diff", "a.safetensors", "b.safetensors", "--spec", "mlp"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, HasSubstr("differ"));
  EXPECT_EQ(run.err, "");
}

TEST(Diff, ExitsWithZeroForIdenticalModels) {
  const ModelFolder folder;
  EXPECT_EQ(folder.Run({"diff", "a.safetensors", "a.safetensors"}).exit_code,
            0);
}

TEST(Demo, GivesTheSameModelsForTheSameSeed) {
  const ModelFolder folder;
  folder.Run({"demo", "again"});
  folder.Run({"demo", "other", "--seed", "7"});
  const std::string a = ReadAll(folder / "a.safetensors");
  EXPECT_EQ(a, ReadAll(folder.path() / "again" / "a.safetensors"));
  EXPECT_NE(a, ReadAll(folder.path() / "other" / "a.safetensors"));
}

TEST(DryRun, PrintsThePlanAndWritesNothing) {
  const ModelFolder folder;
  const auto before = folder.Files();
  folder.Write("x.json", "");
  for (const std::vector<std::string>& command :
       {kMerge,
        {"match", "a.safetensors", "b.safetensors", "--spec", "mlp", "-o",
         "y.json"},
        {"diff", "a.safetensors", "b.safetensors", "--spec", "mlp"}}) {
    const Outcome run =
        folder.Run(command + std::vector<std::string>{"--dry-run", "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_GT(run.json()["memory_bytes"], 0);
    EXPECT_GT(run.json()["seconds"], 0);
  }
  EXPECT_EQ(folder.Files().size(), before.size() + 1);
}

TEST(Program, HelpsWithExamples) {
  const ModelFolder folder;
  for (const char* command :
       {"inspect", "match", "apply", "merge", "diff", "zoo", "demo"}) {
    const Outcome run = folder.Run({command, "--help"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.out, HasSubstr("Example"));
    EXPECT_THAT(run.out, HasSubstr("--json"));
  }
  EXPECT_THAT(folder.Run({"--version"}).out, HasSubstr("rebasin "));
}

TEST(Program, F20_WritesTheSameBytesForAnyNumberOfThreads) {
  const ModelFolder folder;
  folder.Run(kMerge + std::vector<std::string>{"--threads", "1"});
  const std::string one = ReadAll(folder / "m.safetensors");
  folder.Run(kMerge + std::vector<std::string>{"--threads", "2", "--force"});
  EXPECT_EQ(one, ReadAll(folder / "m.safetensors"));
}

TEST(Program, F19_DoesNotCareForTheLocale) {
  const ModelFolder folder;
  const std::vector<std::string> command = {"inspect", "a.safetensors",
                                            "--spec", "mlp", "--json"};
  const testing::CommaLocale comma;
  const testing::Environment german = {{"LOCPATH", comma.folder()},
                                       {"LC_ALL", comma.name()}};
  const std::string plain = folder.Run(command).out;
  EXPECT_EQ(plain, folder.Run(command, german).out);
  const Outcome run =
      folder.Run(kMerge + std::vector<std::string>{"--lambda", "0.25"}, german);
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

}  // namespace
}  // namespace rebasin
