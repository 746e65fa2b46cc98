// Experiments from beginning to end, on small digits.

#include <gtest/gtest.h>

#include <set>

#include "lab/experiment.h"
#include "lab/laboratory.h"
#include "rebasin/error.h"
#include "report/files.h"

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
  EXPECT_EQ(document.claims[1].support, Support::kPartly);
}

TEST(ExperimentsTest, NoPermutationConnectsTheCounterexample) {
  const TempDir folder;
  const Document document = RunByName("counterexample", SmallLab(folder));
  EXPECT_EQ(document.claims.at(0).support, Support::kSupported);
}

TEST(ExperimentsTest, SameSeedSameNumbersInAnotherFolder) {
  const TempDir one, two;
  const Document first = RunByName("contour", SmallLab(one));
  EXPECT_EQ(Measured(first), Measured(RunByName("contour", SmallLab(two))));
  // From the cache and what was remembered, too.
  EXPECT_EQ(Measured(first), Measured(RunByName("contour", SmallLab(one))));
  LabOptions seeded = SmallLab(one, "other");
  seeded.seed = 3;
  EXPECT_NE(Measured(first), Measured(RunByName("contour", seeded)));
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

TEST(ExperimentsTest, InterruptedExperimentsGoOn) {
  const TempDir folder, other;
  LabOptions options = SmallLab(folder);
  int asked = 0;
  options.stop = [&] { return ++asked > 400; };
  EXPECT_THROW(RunByName("contour", options), Stopped);
  EXPECT_EQ(Measured(RunByName("contour", SmallLab(folder))),
            Measured(RunByName("contour", SmallLab(other))));
}

}  // namespace
}  // namespace rebasin::lab
