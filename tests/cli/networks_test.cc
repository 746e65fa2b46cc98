// Networks are evaluated on data, between models too.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/trained.h"

namespace rebasin {
namespace {

using testing::Arguments;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::TrainedFolder;
using testing::operator+;

int64_t Lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(Eval, TellsLossAccuracyAndCalibration) {
  const TrainedFolder folder;
  const Outcome run =
      folder.Run({"eval", "a.safetensors", "--data", DIGITS_FOLDER});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* part : {"digits test, not normalised, 360 examples", "loss",
                           "top-5", "ECE", "temperature", "confidence"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
}

// The model's metadata says what it is.
TEST(Eval, TellsMachinesTheSameWithoutBeingToldTheModel) {
  const TrainedFolder folder;
  const Outcome run =
      folder.Run({"eval", "a.safetensors", "b.safetensors", "--data",
                  DIGITS_FOLDER, "--ensemble", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_EQ(json["command"], "eval");
  EXPECT_EQ(json["architecture"], "mlp:width=24,depth=2,in=64");
  EXPECT_EQ(json["data"], "digits test");
  ASSERT_EQ(json["models"].size(), 2u);
  const auto& first = json["models"][0];
  EXPECT_EQ(first["model"], "a.safetensors");
  EXPECT_EQ(first["examples"], 360);
  EXPECT_GT(first["accuracy"], 0.7);
  EXPECT_GE(first["top5"], first["accuracy"]);
  EXPECT_EQ(first["bins"].size(), 15u);
  for (const char* key : {"calibration_error", "temperature"}) {
    EXPECT_GT(first[key], 0) << key;
  }
  EXPECT_LE(first["calibrated_loss"], first["loss"]);
  const double mean =
      (first["loss"].get<double>() + json["models"][1]["loss"].get<double>()) /
      2;
  EXPECT_LT(json["ensemble"]["loss"], mean);
}

TEST(Eval, GivesTheSameForAnyNumberOfThreads) {
  const TrainedFolder folder;
  const Arguments eval = {"eval",   "a.safetensors", "--data", DIGITS_FOLDER,
                          "--json", "--batch-size",  "50",     "--threads"};
  EXPECT_EQ(folder.Run(eval + Arguments{"1"}).out,
            folder.Run(eval + Arguments{"3"}).out);
}

TEST(Eval, TakesThePartAndThePrecisionThatItIsTold) {
  const TrainedFolder folder;
  const auto json =
      folder
          .Run({"eval", "a.safetensors", "--data", DIGITS_FOLDER, "--part",
                "train", "--precision", "f64", "--bins", "3", "--json"})
          .json();
  EXPECT_EQ(json["data"], "digits train");
  EXPECT_EQ(json["models"][0]["examples"], 1437);
  EXPECT_EQ(json["models"][0]["bins"].size(), 3u);
}

TEST(Eval, RefusesWhatItDoesNotKnow) {
  const TrainedFolder folder;
  const Arguments eval = {"eval", "a.safetensors", "--data", DIGITS_FOLDER};
  const auto refuse = [&](const Arguments& more, const std::string& says) {
    const Outcome run = folder.Run(eval + more);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_TRUE(run.says(says)) << run.err;
  };
  refuse({"--device", "abacus"}, "abacus");
  refuse({"--precision", "f8"}, "f8");
  refuse({"--part", "middle"}, "middle");
  refuse({"--bins", "0"}, "--bins");
  refuse({"--batch-size", "-1"}, "--batch-size");
  refuse({"--normalize", "soup"}, "soup");
  refuse({"--model", "soup"}, "soup");
  refuse({"--nothing"}, "--nothing");
}

TEST(Eval, NeedsData) {
  const TrainedFolder folder;
  const Outcome none = folder.Run({"eval", "a.safetensors"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(none.says("--data")) << none.err;
  const Outcome missing =
      folder.Run({"eval", "a.safetensors", "--data", "nowhere"});
  EXPECT_EQ(missing.exit_code, 5) << missing.err;
  EXPECT_TRUE(missing.says("nowhere")) << missing.err;
}

TEST(Interpolate, WritesPointsAndAPicture) {
  const TrainedFolder folder;
  const Arguments line = {"interpolate", "a.safetensors", "b.safetensors",
                          "--data",      DIGITS_FOLDER,   "--points",
                          "5",           "--csv",         "line.csv",
                          "--plot",      "line.png",      "--json"};
  const Outcome run = folder.Run(line);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto lines = run.json()["lines"];
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["name"], "naive");
  EXPECT_EQ(lines[1]["name"], "aligned");
  for (const auto& one : lines) {
    EXPECT_EQ(one["test"]["points"].size(), 5u);
    EXPECT_EQ(one["train"]["points"].size(), 5u);
  }
  EXPECT_LT(lines[1]["test"]["barrier"], lines[0]["test"]["barrier"]);
  const std::string csv = ReadAll(folder / "line.csv");
  EXPECT_EQ(Lines(csv), 1 + 2 * 2 * 5);
  EXPECT_THAT(csv, HasSubstr("line,lambda,part,loss"));
  EXPECT_EQ(ReadAll(folder / "line.png").substr(0, 8), "\x89PNG\r\n\x1A\n");
  EXPECT_EQ(folder.Run(line).exit_code, 2);  // would replace
}

TEST(Interpolate, EndsAtTheModelsThemselves) {
  const TrainedFolder folder;
  const auto line = folder
                        .Run({"interpolate", "a.safetensors", "b.safetensors",
                              "--data", DIGITS_FOLDER, "--points", "3",
                              "--align", "none", "--part", "test", "--json"})
                        .json()["lines"][0];
  const auto models = folder
                          .Run({"eval", "a.safetensors", "b.safetensors",
                                "--data", DIGITS_FOLDER, "--json"})
                          .json()["models"];
  EXPECT_FALSE(line.contains("train"));
  EXPECT_EQ(line["test"]["points"][0]["loss"], models[0]["loss"]);
  EXPECT_EQ(line["test"]["points"][2]["loss"], models[1]["loss"]);
}

TEST(Interpolate, DrawsSvgAndRepairsOnTheWay) {
  const TrainedFolder folder;
  const Outcome run = folder.Run(
      {"interpolate", "a.safetensors", "b.safetensors", "--data", DIGITS_FOLDER,
       "--points", "3", "--repair", "repair", "--no-naive", "--samples", "100",
       "--calibrate", "200", "--plot", "line.svg"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("aligned, repair"));
  EXPECT_THAT(ReadAll(folder / "line.svg"), HasSubstr("<svg"));
}

TEST(Interpolate, RefusesRepairsThatThereAreNot) {
  const TrainedFolder folder;
  const Outcome run =
      folder.Run({"interpolate", "a.safetensors", "b.safetensors", "--data",
                  DIGITS_FOLDER, "--repair", "soup"});
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_TRUE(run.says("soup")) << run.err;
}

TEST(Plane, EvaluatesAGrid) {
  const TrainedFolder folder;
  const Outcome run = folder.Run(
      {"plane", "a.safetensors", "b.safetensors", "--data", DIGITS_FOLDER,
       "--resolution", "4", "--csv", "p.csv", "--plot", "p.png", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto json = run.json();
  EXPECT_EQ(json["loss"].size(), 16u);
  EXPECT_EQ(json["models"].size(), 3u);
  EXPECT_EQ(Lines(ReadAll(folder / "p.csv")), 17);
  EXPECT_EQ(ReadAll(folder / "p.png").substr(1, 3), "PNG");
}

TEST(Plane, RefusesModelsOnOneLine) {
  const TrainedFolder folder;
  const Outcome run =
      folder.Run({"plane", "a.safetensors", "b.safetensors", "b.safetensors",
                  "--data", DIGITS_FOLDER, "--resolution", "2"});
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_TRUE(run.says("on one line")) << run.err;
}

TEST(Verify, ProvesOnExamples) {
  const TrainedFolder folder;
  const Outcome run =
      folder.Run({"verify", "a.safetensors", "--data", DIGITS_FOLDER});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("[1000, 1, 8, 8]"));
  EXPECT_THAT(run.out, HasSubstr(": the same function"));
}

// Moves the units of one layer, and not what reads them.
TEST(Verify, FindsAWrongSpecOnExamples) {
  const TrainedFolder folder;
  folder.Write("wrong.json", R"({"format": "rebasin-symmetry", "version": 1,
    "groups": {"P": 24}, "tensors": {
    "fc1.weight": ["P", "64"], "fc1.bias": ["P"],
    "fc2.weight": ["24", "24"], "fc2.bias": ["24"],
    "fc3.weight": ["10", "24"], "fc3.bias": ["10"]}})");
  const Outcome run =
      folder.Run({"verify", "a.safetensors", "--data", DIGITS_FOLDER, "--model",
                  "mlp:width=24,depth=2,in=64", "--spec", "wrong.json"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("NOT the same function"));
}

}  // namespace
}  // namespace rebasin
