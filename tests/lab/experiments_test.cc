// Experiments from beginning to end, on small digits.

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"
#include "lab/all.h"
#include "lab/experiment.h"
#include "lab/laboratory.h"
#include "rebasin/checkpoint.h"
#include "rebasin/error.h"
#include "rebasin/nn/train.h"
#include "rebasin/zoo.h"
#include "report/files.h"
#include "support/expect_error.h"

namespace rebasin::lab {
namespace {

Document RunByName(const std::string& name, const LabOptions& options) {
  Lab lab(options);
  return RunExperiment(FindExperiment(name), lab, "rebasin lab " + name);
}

// All that is measured; facts have times.
std::string Measured(Document document) {
  document.facts.clear();
  return DocumentJson(document);
}

TEST(ExperimentsTest, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Experiment& experiment : Experiments()) {
    EXPECT_TRUE(names.insert(experiment.name).second);
    EXPECT_EQ(&FindExperiment(experiment.name), &experiment);
  }
  EXPECT_EQ(names.size(), 14u);
  EXPECT_THROW(FindExperiment("nothing"), Error);
}

TEST(ExperimentsTest, SymmetriesAgreeWithTheTableAsThePaperCounts) {
  const TempDir folder;
  const Document document = RunByName("symmetries", SmallLab(folder));
  ASSERT_EQ(document.claims.size(), 2u);
  EXPECT_EQ(document.claims[0].support, Support::kSupported);
  EXPECT_EQ(document.claims[1].support, Support::kMixed);
}

TEST(ExperimentsTest, NoPermutationConnectsTheCounterexample) {
  const TempDir folder;
  const Document document = RunByName("counterexample", SmallLab(folder));
  EXPECT_EQ(document.claims.at(0).support, Support::kSupported);
  EXPECT_EQ(document.claims.at(1).support, Support::kSupported);
}

LabOptions OnlyMnist(const TempDir& folder,
                     const std::string& report = "report") {
  LabOptions options = SmallLab(folder, report);
  options.only = {"mnist-mlp"};
  return options;
}

TEST(ExperimentsTest, RunOnlyTheNetworksThatWereAskedFor) {
  const TempDir folder;
  // CIFAR-10 is not there.
  EXPECT_THROW(RunByName("contour", SmallLab(folder)), Error);
  EXPECT_EQ(RunByName("contour", OnlyMnist(folder)).claims.size(), 1u);
}

TEST(ExperimentsTest, NameTheNetworksThatThereAre) {
  const TempDir folder;
  LabOptions options = SmallLab(folder);
  options.only = {"mnist-mlp", "soup"};
  ExpectError(ErrorCode::kUsage,
              {"contour", "no network \"soup\"", "mnist-mlp cifar-mlp"},
              [&] { RunByName("contour", options); });
  ExpectError(ErrorCode::kUsage, {"symmetries", "as a whole"},
              [&] { RunByName("symmetries", options); });
}

TEST(ExperimentsTest, ReportsSayHowNetworksFallShortOfThePapers) {
  const TempDir folder;
  const Document document = RunByName("contour", OnlyMnist(folder));
  std::string networks;
  for (const Fact& fact : document.facts) {
    if (fact.name == "networks") networks = fact.text;
  }
  EXPECT_EQ(networks, "MLP on MNIST: shortened: 10 of 100 epochs");
}

// Interrupted or not, measured now or remembered: the numbers are those of the
// seed.
TEST(ExperimentsTest, SameSeedSameNumbers) {
  const TempDir whole, parts;
  const Document first = RunByName("contour", OnlyMnist(whole));
  EXPECT_EQ(Measured(first), Measured(RunByName("contour", OnlyMnist(whole))));

  LabOptions interrupted = OnlyMnist(parts);
  int asked = 0;
  interrupted.run.stop = [&] { return ++asked > 400; };
  ExpectError(ErrorCode::kStopped, {"stopped"},
              [&] { RunByName("contour", interrupted); });
  EXPECT_EQ(Measured(first), Measured(RunByName("contour", OnlyMnist(parts))));

  LabOptions seeded = OnlyMnist(whole, "other");
  seeded.run.seed = 3;
  EXPECT_NE(Measured(first), Measured(RunByName("contour", seeded)));
}

// Small coloured noise with ten labels, as train.npz and test.npz.
void WriteNoise(const TempDir& folder) {
  constexpr int64_t kExamples = 60, kPixels = 3 * 4 * 4;
  Random random(1);
  std::vector<uint8_t> x(kExamples * kPixels), y(kExamples);
  for (uint8_t& pixel : x) pixel = static_cast<uint8_t>(random.Below(256));
  for (int64_t i = 0; i < kExamples; ++i) y[i] = static_cast<uint8_t>(i % 10);
  const Checkpoint arrays({Tensor{.name = "x",
                                  .dtype = DType::kU8,
                                  .shape = {kExamples, 3, 4, 4},
                                  .bytes = std::as_bytes(std::span(x)),
                                  .owner = {}},
                           Tensor{.name = "y",
                                  .dtype = DType::kU8,
                                  .shape = {kExamples},
                                  .bytes = std::as_bytes(std::span(y)),
                                  .owner = {}}});
  SaveNpz(arrays, folder / "train.npz");
  SaveNpz(arrays, folder / "test.npz");
}

TEST(ExperimentsTest, NetworksFromElsewhereAreInterpolated) {
  const TempDir folder, data;
  WriteNoise(data);
  LabOptions options = SmallLab(folder);
  options.imagenet = data.path();
  const Graph graph = ZooGraph("mlp:in=48,width=16");
  for (const uint64_t seed : {1, 2}) {
    const auto file = folder / (std::to_string(seed) + ".safetensors");
    SaveCheckpoint(InitialWeights(graph, Initialization::kKaiming, seed), file);
    options.imagenet_networks.push_back(file);
  }
  const Document document = RunByName("interpolation", options);
  EXPECT_EQ(document.claims.size(), 2u);
  EXPECT_EQ(document.blocks.size(), 2u);

  options.imagenet = folder / "nowhere";
  EXPECT_THROW(RunByName("interpolation", options), Error);
}

TEST(AllTest, ReportsThatAreFinishedAreKept) {
  const TempDir folder;
  LabOptions options = SmallLab(folder);
  options.mnist = folder / "nowhere";
  int runs = 0;
  options.run.progress = [&](const Progress&) { ++runs; };
  const std::vector<Experiment> experiments = {FindExperiment("counterexample"),
                                               FindExperiment("steepest")};
  const auto run = [&] {
    return RunAll(
        experiments, options,
        [](const Experiment& experiment) {
          return std::string("rebasin lab ") + experiment.name;
        },
        /*again=*/false);
  };
  const auto outcomes = run();
  EXPECT_EQ(runs, 1);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].claims.size(), 2u);
  EXPECT_NE(outcomes[1].problem.find("needs MNIST"), std::string::npos);

  const auto kept = run();
  EXPECT_EQ(runs, 1);
  ASSERT_EQ(kept[0].claims.size(), 2u);
  EXPECT_EQ(kept[0].claims[0].support, outcomes[0].claims[0].support);
  EXPECT_EQ(kept[0].claims[1].finding, outcomes[0].claims[1].finding);
}

TEST(AllTest, TheIndexLinksClaimsToTheirPages) {
  const Outcome done{
      .experiment = &FindExperiment("timing"),
      .claims = {{"It is fast.", Support::kMixed, "It took a while."}}};
  const Outcome not_run{.experiment = &FindExperiment("many"),
                        .problem = "there is no data"};
  const Document index = IndexOf({done, not_run}, "rebasin lab all");
  const auto& claims = std::get<DataTable>(index.blocks.at(1));
  ASSERT_EQ(claims.rows.size(), 2u);
  EXPECT_EQ(claims.rows[0][0].link, "timing/report.html");
  EXPECT_EQ(claims.rows[0][3].text, "mixed");
  EXPECT_EQ(claims.rows[1][3].text, "not run");
  EXPECT_EQ(claims.rows[1][4].text, "there is no data");
  const auto& counts = std::get<DataTable>(index.blocks.at(0));
  EXPECT_EQ(counts.rows.at(1)[1].value, 1);
}

TEST(ExperimentsTest, ReportsSayWhatWasRun) {
  const TempDir folder;
  const Document document = RunByName("steepest", SmallLab(folder));
  std::set<std::string> facts;
  for (const Fact& fact : document.facts) facts.insert(fact.name);
  for (const char* name : {"command", "paper", "preset", "seed", "version",
                           "machine", "time", "data"}) {
    EXPECT_TRUE(facts.contains(name)) << name;
  }
  EXPECT_FALSE(document.claims.empty());
}

}  // namespace
}  // namespace rebasin::lab
