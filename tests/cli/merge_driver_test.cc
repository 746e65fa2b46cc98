// The merge driver, alone and run by git.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "cli/repository.h"
#include "rebasin/merge.h"
#include "support/limits.h"
#include "support/onnx_models.h"
#include "support/torch_files.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using testing::Changed;
using ::testing::HasSubstr;
using testing::LoadedFrom;
using testing::ModelFolder;
using ::testing::Not;
using testing::Outcome;
using testing::Program;
using testing::Repository;
using testing::Same;
using testing::With;

using testing::Words;

// Files called as git calls them: %O, %A and %B.
class Versions : public ModelFolder {
 public:
  Versions() {
    Write("base", "");
    fs::rename(*this / "a.safetensors", *this / "ours");
    fs::rename(*this / "b.safetensors", *this / "theirs");
  }

  Outcome Merge(const Words& more = {}) const {
    Words words = {"merge-driver", "base", "ours", "theirs"};
    words.insert(words.end(), more.begin(), more.end());
    return Run(words);
  }

  // Refused as a conflict, with our side as it was.
  void ExpectConflict(const std::string& says, const Words& more = {}) const {
    const std::string before = ReadAll(*this / "ours");
    const auto files = Files();
    const Outcome run = Merge(more);
    EXPECT_EQ(run.exit_code, 1) << run.err;
    EXPECT_TRUE(run.says(says)) << run.err;
    EXPECT_EQ(ReadAll(*this / "ours"), before);
    EXPECT_EQ(Files(), files);
  }
};

constexpr const char* kLfsPointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:"
    "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 12345\n";

TEST(MergeDriver, G01_PointersWithoutTheirObjectsAreAConflict) {
  const Versions versions;
  versions.Write("ours", kLfsPointer);
  versions.ExpectConflict("git lfs fetch --all", {"models/net.safetensors"});
  EXPECT_TRUE(versions.Merge({"models/net.safetensors"})
                  .says("\"models/net.safetensors\": "));
  versions.Write("theirs", kLfsPointer);
  versions.ExpectConflict("git lfs fetch --all");
}

TEST(MergeDriver, G01_ABasePointerWithoutItsObjectIsAConflict) {
  const Versions versions;
  versions.Write("base", kLfsPointer);
  versions.ExpectConflict("the base is a Git LFS pointer");
}

TEST(MergeDriver, G01_BrokenPointersAreAConflict) {
  const Versions versions;
  const std::string pointer = kLfsPointer;
  for (const std::string& broken :
       {pointer.substr(0, 60), pointer.substr(0, pointer.find("size")),
        pointer.substr(0, pointer.find("size")) + "size -1\n"}) {
    versions.Write("theirs", broken);
    versions.ExpectConflict("broken Git LFS pointer");
  }
}

TEST(MergeDriver, HintsNameNoOptionThatTheDriverRefuses) {
  const Versions versions;
  versions.ExpectConflict("keep only the tensors", {"--key", "state_dict"});
  const std::string array("\x93NUMPY\x01\x00", 8);
  const std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  const std::string padded = header + std::string(117 - header.size(), ' ');
  const std::string file =
      array + std::string("\x76\x00", 2) + padded + "\n" + std::string(4, '\0');
  versions.Write("ours", file);
  versions.Write("theirs", file);
  versions.ExpectConflict("rebasin convert");
}

TEST(MergeDriver, G02_WithoutABaseTheModelsAreAlignedAndAveraged) {
  const Versions versions;
  const Checkpoint ours = LoadedFrom(versions, "ours");
  const Outcome run = versions.Merge({"net.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("into net.safetensors"));
  versions.Save("before", ours);
  const Outcome diff = versions.Run({"diff", "before", "ours", "--json"});
  EXPECT_GT(diff.json()["before"]["cosine"], 0.97);
}

TEST(MergeDriver, WhatOneSideHasChangedAloneIsTakenFromIt) {
  const Versions versions;
  const Checkpoint base = LoadedFrom(versions, "ours");
  versions.Save("base", base);
  const Checkpoint ours = Changed(base, "fc1.bias", 0.25);
  const Checkpoint theirs =
      Changed(Changed(base, "fc3.bias", 0.5), "fc1.weight", 1e-3F);
  versions.Save("ours", Changed(ours, "fc1.weight", 2e-3F));
  versions.Save("theirs", theirs);
  const Outcome run = versions.Merge({"--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json()["taken"].size(), 2u);
  const Checkpoint merged = versions.Load("ours");
  EXPECT_TRUE(Same(merged, ours, "fc1.bias"));
  EXPECT_TRUE(Same(merged, theirs, "fc3.bias"));
  EXPECT_TRUE(Same(merged, base, "fc2.weight"));
  EXPECT_FALSE(Same(merged, theirs, "fc1.weight"));
}

TEST(MergeDriver, G03_ModelsThatDoNotFitAreAConflict) {
  const Versions versions;
  const Checkpoint theirs = LoadedFrom(versions, "theirs");
  versions.Save("theirs", With(theirs, MakeTensor("more", {1}, {{1.0F}})));
  versions.ExpectConflict("more");
  versions.Save("theirs", theirs);
  versions.ExpectConflict("bn1", {"--model", "resnet20"});
  versions.Write("theirs", "no model at all");
  versions.ExpectConflict("theirs");
}

TEST(MergeDriver, ModelsOfUnknownStructureAreAConflict) {
  const Versions versions;
  const Checkpoint model({MakeTensor("odd", {2, 2}, {{1, 2, 3, 4}})});
  versions.Save("ours", model);
  versions.Save("theirs", Changed(model, "odd", 1));
  versions.ExpectConflict("hint: ");
  EXPECT_EQ(versions.Merge({"--align", "none"}).exit_code, 0);
}

TEST(MergeDriver, G04_ErrorsOfTheSystemEndTheMerge) {
  const Versions versions;
  const std::string before = ReadAll(versions / "ours");
  Outcome run;
  {
    const LowerLimit limit(RLIMIT_FSIZE, 300);
    run = versions.Merge();
  }
  EXPECT_EQ(run.exit_code, 129) << run.err;
  EXPECT_EQ(ReadAll(versions / "ours"), before);
  fs::remove(versions / "theirs");
  EXPECT_EQ(versions.Merge().exit_code, 129);
  EXPECT_EQ(ReadAll(versions / "ours"), before);
}

TEST(MergeDriver, G09_SidesOfDifferentFormatsAreAConflict) {
  const Versions versions;
  EXPECT_EQ(versions.Run({"convert", "theirs", "theirs.pt"}).exit_code, 0);
  fs::rename(versions / "theirs.pt", versions / "theirs");
  versions.ExpectConflict("PyTorch");
}

// What lies beside the only dictionary of tensors could not be written again.
TEST(MergeDriver, NoDictionaryWithinAFileIsTaken) {
  using namespace pickled;
  const Versions versions;
  const std::string file = TorchArchive(
      pickled::Program(Dict({{Text("epoch"), Int(3)},
                             {Text("net"), Dict({{Text("w"), TensorOf()}})}})),
      {{"0", SixFloats()}});
  versions.Write("ours", file);
  versions.Write("theirs", file);
  versions.ExpectConflict("keep only the tensors");
}

class MergeDriverFormats : public ::testing::TestWithParam<const char*> {};

TEST_P(MergeDriverFormats, G10_TheResultIsReadAgainInTheSameFormat) {
  const Versions versions;
  const std::string ending = GetParam();
  for (const std::string name : {"ours", "theirs"}) {
    EXPECT_EQ(versions.Run({"convert", name, name + ending}).exit_code, 0);
    fs::rename(versions / (name + ending), versions / name);
  }
  const std::string start = ReadAll(versions / "ours").substr(0, 4);
  const Outcome run = versions.Merge();
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(ReadAll(versions / "ours").substr(0, 4), start);
  EXPECT_EQ(versions.Load("ours").tensors().size(),
            versions.Load("theirs").tensors().size());
}

INSTANTIATE_TEST_SUITE_P(Of, MergeDriverFormats,
                         ::testing::Values(".safetensors", ".pt", ".npz"));

TEST(MergeDriver, OnnxModelsStayOnnxModels) {
  const Versions versions;
  OnnxBuilder onnx = SmallMlp();
  versions.Write("ours", onnx.Bytes());
  onnx.graph().mutable_initializer(0)->mutable_raw_data()->back() ^= 1;
  versions.Write("theirs", onnx.Bytes());
  const Outcome run = versions.Merge();
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(ReadAll(versions / "ours"), onnx.Bytes());
  EXPECT_THAT(run.out, Not(HasSubstr("recognised")));  // it has a graph
  EXPECT_EQ(versions.Run({"verify", "ours"}).exit_code, 0);
}

// Beside git's copies lies, if anything, the data of another version.
TEST(MergeDriver, OnnxModelsWithDataElsewhereAreAConflict) {
  const Versions versions;
  OnnxBuilder onnx = SmallMlp();
  auto& tensor = *onnx.graph().mutable_initializer(0);
  versions.Write("data", tensor.raw_data());
  SetExternal(tensor, "location", "data");
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  tensor.clear_raw_data();
  versions.Write("ours", onnx.Bytes());
  versions.Write("theirs", onnx.Bytes());
  versions.ExpectConflict("another file");
}

TEST(GitMerge, MergesTwoBranches) {
  const Repository repository;
  repository.Part();
  repository.ExpectGit({"merge", "side"});
  repository.ExpectMerged();
}

TEST(GitMerge, AlignsModelsThatWereTrainedApart) {
  const Repository repository;
  const auto symmetry =
      std::make_shared<const Symmetry>(InferMlp(repository.base()));
  const Checkpoint moved =
      Permute(repository.base(), Alignment::Random(symmetry, 1));
  repository.CommitOn("side", Changed(moved, "fc3.bias", 0.5));
  repository.CommitOn("main", repository.Ours());
  repository.ExpectGit({"merge", "side"});
  // Back in the order of our side, nothing but fc3.bias had changed in theirs.
  const Checkpoint merged = repository.Load(repository.file());
  EXPECT_TRUE(Same(merged, repository.Ours(), "fc1.bias"));
  EXPECT_TRUE(Same(merged, repository.base(), "fc2.weight"));
  EXPECT_TRUE(
      Same(merged, Changed(repository.base(), "fc3.bias", 0.5), "fc3.bias"));
}

TEST(GitMerge, G03_WhatDoesNotFitIsLeftAsAConflict) {
  const Repository repository;
  repository.Part();
  const std::string ours = ReadAll(repository / repository.file());
  repository.ExpectGit({"checkout", "-q", "side"});
  repository.Commit(
      With(repository.Theirs(), MakeTensor("more", {1}, {{1.0F}})));
  repository.ExpectGit({"checkout", "-q", "main"});
  const Outcome run = repository.Git({"merge", "side"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("CONFLICT"));
  EXPECT_EQ(ReadAll(repository / repository.file()), ours);
}

TEST(GitMerge, G06_PathsMayHoldQuotesSpacesAndDashes) {
  for (const char* file : {"-x.safetensors", "it's a \"net\".safetensors"}) {
    const Repository repository({.file = file});
    repository.Part();
    const Outcome run = repository.Git({"merge", "side"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("into " + repository.file()));
    repository.ExpectMerged();
  }
}

TEST(GitMerge, G07_CommitsArePickedAndBranchesRebased) {
  const Repository picked;
  picked.Part();
  picked.ExpectGit({"cherry-pick", "side"});
  picked.ExpectMerged();
  const Repository rebased;
  rebased.Part();
  rebased.ExpectGit({"rebase", "-q", "side"});
  rebased.ExpectMerged();
}

// Two merges of the same parents make two merge bases, which git merges first:
// by its own rules, as merge.rebasin.recursive says.
TEST(GitMerge, G07_BranchesThatMetCrosswiseAreMerged) {
  const Repository repository;
  repository.Part();
  repository.ExpectGit({"branch", "main1"});
  repository.ExpectGit({"branch", "side1", "side"});
  repository.ExpectGit({"merge", "-q", "side1"});
  repository.ExpectGit({"checkout", "-q", "side"});
  repository.ExpectGit({"merge", "-q", "main1"});
  const Checkpoint met = LoadedFrom(repository, repository.file());
  repository.CommitOn("side", Changed(met, "fc3.weight", 0.5));
  repository.CommitOn("main", Changed(met, "fc2.weight", 0.5));
  repository.ExpectGit({"merge", "side"});
  const Checkpoint merged = repository.Load(repository.file());
  EXPECT_TRUE(Same(merged, met, "fc1.bias"));
}

TEST(GitMerge, G08_WithoutTheDriverGitLeavesAConflict) {
  const Repository repository;
  repository.Part();
  const std::string ours = ReadAll(repository / repository.file());
  repository.ExpectGit({"config", "--remove-section", "merge.rebasin"});
  const Outcome run = repository.Git({"merge", "side"});
  EXPECT_EQ(run.exit_code, 1) << run.out;
  EXPECT_THAT(run.out, HasSubstr("CONFLICT"));
  EXPECT_EQ(ReadAll(repository / repository.file()), ours);
}

}  // namespace
}  // namespace rebasin
