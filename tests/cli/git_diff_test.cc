// Models as text, and git's differences between them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.h"
#include "cli/repository.h"

namespace rebasin {
namespace {

using testing::Changed;
using ::testing::HasSubstr;
using testing::LoadedFrom;
using ::testing::MatchesRegex;
using testing::ModelFolder;
using ::testing::Not;
using testing::Outcome;
using testing::Repository;
using testing::With;

TEST(Textconv, HasALineForEachTensorInTheOrderOfNames) {
  const ModelFolder folder;
  const Outcome run = folder.Run({"inspect", "--textconv", "a.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("fc1.bias: F32 [128], mean "));
  EXPECT_LT(run.out.find("fc1.bias"), run.out.find("fc1.weight"));
  EXPECT_LT(run.out.find("fc1.weight"), run.out.find("fc2.bias"));
}

TEST(Textconv, ChangesTheLinesOfChangedTensorsAlone) {
  const ModelFolder folder;
  const auto model = LoadedFrom(folder, "a.safetensors");
  folder.Save("one", With(model, MakeTensor("x", {2}, {{1, 2}})));
  folder.Save("two", With(model, MakeTensor("x", {2}, {{1, 2.5}})));
  std::string one = folder.Run({"inspect", "--textconv", "one"}).out;
  const std::string two = folder.Run({"inspect", "--textconv", "two"}).out;
  EXPECT_NE(one, two);
  const size_t line = one.find("\nx: ");
  EXPECT_EQ(one.substr(0, line), two.substr(0, line));
  EXPECT_THAT(two.substr(line),
              MatchesRegex("\nx: F32 \\[2\\], mean 1.75, deviation 0.75, from "
                           "1 to 2.5, sha256 [0-9a-f]+\n"));
}

TEST(Textconv, CountsWhatIsNotFinite) {
  const ModelFolder folder;
  folder.Save(
      "m", Checkpoint({MakeTensor("x", {3}, {{1, std::nanf(""), INFINITY}})}));
  EXPECT_THAT(folder.Run({"inspect", "--textconv", "m"}).out,
              HasSubstr("mean 1, deviation 0, from 1 to 1, 2 not finite"));
}

// Git gives up where the converter does.
TEST(Textconv, FilesThatAreNoModelsAreDescribedAllTheSame) {
  const ModelFolder folder;
  folder.Write("broken", "no model");
  const Outcome run = folder.Run({"inspect", "--textconv", "broken"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("not readable as a model: "));
  EXPECT_THAT(run.out, HasSubstr("8 bytes, sha256 "));
  EXPECT_EQ(folder.Run({"inspect", "--textconv", "missing"}).exit_code, 5);
  EXPECT_EQ(folder.Run({"inspect", "--textconv"}).exit_code, 2);
}

TEST(GitDiff, ShowsTheTensorsThatChanged) {
  for (const bool lfs : {false, true}) {
    const Repository repository({.lfs = lfs});
    repository.ExpectGit({"config", "diff.rebasin.textconv",
                          "'" REBASIN_PROGRAM "' inspect --textconv --"});
    repository.ExpectGit({"config", "diff.rebasin.cachetextconv", "true"});
    repository.Write(".gitattributes", ReadAll(repository / ".gitattributes") +
                                           "*.safetensors diff=rebasin\n");
    repository.Commit(Changed(repository.base(), "fc2.bias", 0.25));
    for (int i = 0; i < 2; ++i) {  // the second time from git's cache
      const Outcome run = repository.Git({"diff", "-U0", "HEAD~1", "HEAD"});
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_THAT(run.out, HasSubstr("\n-fc2.bias: F32 "));
      EXPECT_THAT(run.out, HasSubstr("\n+fc2.bias: F32 "));
      EXPECT_THAT(run.out, Not(HasSubstr("\n-fc1")));
    }
  }
}

}  // namespace
}  // namespace rebasin
