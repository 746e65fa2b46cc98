// Models whose tensors are called otherwise than those of any architecture.

#include <gtest/gtest.h>

#include <fstream>

#include "cli/program.h"
#include "cli/zoo_models.h"

namespace rebasin {
namespace {

using testing::Outcome;
using testing::RandomZooModel;
using testing::RunIn;
using Names = std::map<std::string, std::string>;

Checkpoint Renamed(const Checkpoint& model, const Names& names) {
  std::vector<Tensor> tensors = model.tensors();
  for (Tensor& tensor : tensors) {
    const auto found = names.find(tensor.name);
    if (found != names.end()) tensor.name = found->second;
  }
  return Checkpoint(std::move(tensors));
}

// In an order that is not that of the names: "hidden" comes before "input".
const Names kOddNames = {
    {"fc1.weight", "input.weight"},  {"fc1.bias", "input.bias"},
    {"fc2.weight", "hidden.weight"}, {"fc2.bias", "hidden.bias"},
    {"fc3.weight", "output.weight"}, {"fc3.bias", "output.bias"}};

constexpr const char* kMlp = "mlp:depth=2,width=16,in=8,out=3";

class OddNames : public ::testing::Test {
 protected:
  OddNames() {
    for (const int seed : {1, 2}) {
      SaveCheckpoint(Renamed(RandomZooModel(kMlp, seed), kOddNames),
                     folder_ / (std::string(seed == 1 ? "a" : "b") + ".pt"));
    }
  }
  Outcome Run(const std::vector<std::string>& args) {
    return RunIn(folder_, args);
  }

  const TempDir folder_;
};

std::vector<std::string> Plus(std::vector<std::string> args,
                              const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

const std::vector<std::string> kMerge = {"merge", "a.pt", "b.pt", "-o",
                                         "m.safetensors"};
const std::vector<std::string> kRenames = {
    "--rename", "input.weight=fc1.weight",  "--rename", "input.bias=fc1.bias",
    "--rename", "hidden.weight=fc2.weight", "--rename", "hidden.bias=fc2.bias",
    "--rename", "output.weight=fc3.weight", "--rename", "output.bias=fc3.bias"};

TEST_F(OddNames, AreNamedInTheHintByShapesAndOrder) {
  const Outcome run = Run(kMerge);
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_TRUE(run.says("mlp:depth=2,width=16,in=8,out=3")) << run.err;
  for (size_t i = 0; i < kRenames.size(); i += 2) {
    EXPECT_TRUE(run.says("--rename " + kRenames[i + 1])) << run.err;
  }
}

TEST_F(OddNames, CanBeReplaced) {
  const Outcome run = Run(Plus(kMerge, kRenames));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Checkpoint merged = Checkpoint::Open(folder_ / "m.safetensors");
  EXPECT_NE(merged.Find("fc2.weight"), nullptr);
  EXPECT_EQ(merged.Find("hidden.weight"), nullptr);
}

TEST_F(OddNames, CanBeReplacedByAFileThatInspectWrites) {
  const Outcome suggested = Run({"inspect", "a.pt", "--suggest-names"});
  ASSERT_EQ(suggested.exit_code, 0) << suggested.err;
  std::ofstream(folder_ / "names.txt") << suggested.out;
  EXPECT_EQ(Run(Plus(kMerge, {"--names", "names.txt"})).exit_code, 0);
}

TEST_F(OddNames, OfOneModelOnlyAreReplacedThere) {
  SaveCheckpoint(RandomZooModel(kMlp, 2), folder_ / "b.pt", {.force = true});
  EXPECT_EQ(Run(kMerge).exit_code, 4);
  EXPECT_EQ(Run(Plus(kMerge, kRenames)).exit_code, 0);
}

TEST_F(OddNames, WithoutNewOnesThatFitAreRefused) {
  const auto refuse = [&](const std::vector<std::string>& more,
                          const std::string& says, int code = 2) {
    const Outcome run = Run(Plus(kMerge, more));
    EXPECT_EQ(run.exit_code, code) << run.err;
    EXPECT_TRUE(run.says(says)) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "m.safetensors"));
  };
  refuse({"--rename", "fc1.weight"}, "must be OLD=NEW");
  refuse({"--rename", "=x"}, "must be OLD=NEW");
  refuse({"--rename", "no.such=fc1.weight"}, "has no tensor \"no.such\"");
  refuse({"--rename", "input.weight=input.bias"}, "input.bias", 3);
  refuse({"--names", "missing.txt"}, "missing.txt", 5);
  std::ofstream(folder_ / "names.txt") << "# x\n\na=b\nc\n";
  refuse({"--names", "names.txt"}, "line 4");
}

TEST_F(OddNames, AreNotSuggestedForShapesOfNothing) {
  SaveCheckpoint(Checkpoint({MakeTensor("x", {3, 5, 7, 2},
                                        std::vector<float>(210, 1.0f))}),
                 folder_ / "x.safetensors");
  const Outcome run = Run({"inspect", "x.safetensors", "--suggest-names"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(run.out, "");
}

}  // namespace
}  // namespace rebasin
