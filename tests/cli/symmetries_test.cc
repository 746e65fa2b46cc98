// --symmetries: rescaling and flipping beyond permutations.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "cli/program.h"
#include "rebasin/discovery.h"
#include "rebasin/merge.h"
#include "rebasin/zoo.h"

namespace rebasin {
namespace {

using ::testing::HasSubstr;
using testing::ModelFolder;
using testing::Outcome;

// c.safetensors is a.safetensors permuted and rescaled: the same function.
class ScaledFolder : public ModelFolder {
 public:
  ScaledFolder() {
    const Checkpoint a = Load("a.safetensors");
    const auto symmetry = std::make_shared<const Symmetry>(
        Discover(ZooGraph(RecogniseModel(a)), {.scales = true}).symmetry);
    Alignment hidden = Alignment::Random(symmetry, 1);
    Random random(2);
    for (int s = 0; s < static_cast<int>(symmetry->scalings().size()); ++s) {
      for (double& f : hidden.mutable_factors(s)) {
        f = std::exp(random.Normal());
      }
    }
    Save("c.safetensors", Permute(a, hidden));
  }

  double DistanceTo(const std::string& name) const {
    const Checkpoint a = Load("a.safetensors"), b = Load(name);
    double largest = 0;
    for (const Tensor& tensor : a.tensors()) {
      std::vector<double> x(tensor.size()), y(tensor.size());
      ReadDoubles(tensor, 0, x);
      ReadDoubles(*b.Find(tensor.name), 0, y);
      for (size_t i = 0; i < x.size(); ++i) {
        largest = std::max(largest, std::abs(x[i] - y[i]));
      }
    }
    return largest;
  }
};

TEST(Symmetries, MergingAScaledCopyGivesTheModelItself) {
  const ScaledFolder folder;
  const Outcome run =
      folder.Run({"merge", "a.safetensors", "c.safetensors", "--model", "mlp",
                  "--symmetries", "permute+scale+sign", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("rescaled by"));
  EXPECT_THAT(run.out, HasSubstr("verified"));
  EXPECT_LT(folder.DistanceTo("m.safetensors"), 1e-5);
}

TEST(Symmetries, PermutationsAloneDoNot) {
  const ScaledFolder folder;
  const Outcome run = folder.Run({"merge", "a.safetensors", "c.safetensors",
                                  "--model", "mlp", "-o", "m.safetensors"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(folder.DistanceTo("m.safetensors"), 1e-2);
}

TEST(Symmetries, AlignmentsCarryFactorsToApplyAndVerify) {
  const ScaledFolder folder;
  const Outcome match =
      folder.Run({"match", "a.safetensors", "c.safetensors", "--model", "mlp",
                  "--symmetries", "permute+scale", "-o", "x.json", "--json"});
  EXPECT_EQ(match.exit_code, 0) << match.err;
  EXPECT_NEAR(match.json()["after"]["cosine"].get<double>(), 1, 1e-6);
  EXPECT_GT(match.json()["largest_scale"].get<double>(), 2);
  const Outcome apply =
      folder.Run({"apply", "c.safetensors", "--align", "x.json", "--model",
                  "mlp", "-o", "y.safetensors"});
  EXPECT_EQ(apply.exit_code, 0) << apply.err;
  EXPECT_LT(folder.DistanceTo("y.safetensors"), 1e-5);
  const Outcome verify = folder.Run(
      {"verify", "c.safetensors", "--model", "mlp", "--align", "x.json"});
  EXPECT_EQ(verify.exit_code, 0) << verify.out << verify.err;
}

TEST(Symmetries, VerifyDrawsRandomFactors) {
  const ModelFolder folder;
  const Outcome run = folder.Run({"verify", "a.safetensors", "--model", "mlp",
                                  "--symmetries", "permute+scale+sign"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
}

TEST(Symmetries, InspectListsThemAndWritesThemIntoASpec) {
  const ScaledFolder folder;
  const Outcome run =
      folder.Run({"inspect", "a.safetensors", "--model", "mlp", "--symmetries",
                  "permute+scale", "-o", "spec.json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("fc2.weight[1] inversely"));
  const Outcome merge = folder.Run({"merge", "a.safetensors", "c.safetensors",
                                    "--spec", "spec.json", "--symmetries",
                                    "permute+scale", "-o", "m.safetensors"});
  EXPECT_EQ(merge.exit_code, 0) << merge.err;
  EXPECT_LT(folder.DistanceTo("m.safetensors"), 1e-5);
}

TEST(Symmetries, AWrongSpecIsCaughtByRunning) {
  const ModelFolder folder;
  folder.Write("spec.json", R"({
    "format": "rebasin-symmetry", "version": 1,
    "groups": {"P": 128, "Q": 128},
    "tensors": {
      "fc1.weight": ["P", "64"], "fc1.bias": ["P"],
      "fc2.weight": ["Q", "P"], "fc2.bias": ["Q"],
      "fc3.weight": ["10", "Q"], "fc3.bias": ["10"]},
    "scalings": [{"kind": "scale", "group": "P", "places": [
      {"tensor": "fc1.weight", "axis": 0, "degree": 1},
      {"tensor": "fc2.weight", "axis": 1, "degree": -1}]}]})");
  const Outcome run =
      folder.Run({"verify", "a.safetensors", "--model", "mlp", "--spec",
                  "spec.json", "--symmetries", "permute+scale"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("NOT the same function"));
}

TEST(Symmetries, WhatCannotBeMeantIsRefused) {
  const ModelFolder folder;
  const std::vector<std::string> merge = {"merge", "a.safetensors",
                                          "b.safetensors"};
  struct Row {
    std::vector<std::string> arguments;
    std::string says;
  };
  const Row rows[] = {
      {{"--model", "mlp", "--symmetries", "scale"}, "--symmetries"},
      {{"--spec", "mlp", "--symmetries", "permute+scale"}, "no scalings"},
      {{"--align", "none", "--symmetries", "permute+scale"}, "aligned"},
      {{"b.safetensors", "--model", "mlp", "--symmetries", "permute+scale"},
       "two models"},
  };
  for (const Row& row : rows) {
    std::vector<std::string> arguments = merge;
    arguments.insert(arguments.end(), row.arguments.begin(),
                     row.arguments.end());
    arguments.insert(arguments.end(), {"-o", "m.safetensors"});
    const Outcome run = folder.Run(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(row.says));
  }
}

}  // namespace
}  // namespace rebasin
