// The laboratory aligns with what users align with.

#include <gtest/gtest.h>

#include "lab/laboratory.h"
#include "lab/pair.h"
#include "rebasin/nn/align.h"
#include "rebasin/repair.h"

namespace rebasin::lab {
namespace {

Pair SmallPair(Lab& lab) {
  Training training{.model = "mlp:depth=2,width=16,in=64"};
  training.recipe.epochs = 2;
  training.recipe.batch_size = 100;
  return TrainPair(lab, lab.Mnist(), training, "small");
}

// What `rebasin match` does with its defaults, on as many examples.
Alignment ByDefault(Lab& lab, const Pair& pair, const std::string& method,
                    const EvaluationSizes& sizes) {
  const Structure structure = DescribeStructure({.model = pair.model});
  const Model a{.weights = pair.a, .structure = structure},
      b{.weights = pair.b, .structure = structure};
  DataAlignOptions options;
  options.method = method;
  options.examples = SelectFirst(pair.task->data.train, sizes.match_examples);
  options.normalization = pair.task->normalization;
  options.straight_through = DefaultsFor(*a.graph()).options;
  options.straight_through->max_epochs = sizes.ste_epochs;
  return AlignWithData(a, b, options, lab.QuietRun()).match.alignment;
}

TEST(LabTest, AlignsAsTheCommandDoes) {
  const TempDir folder;
  Lab lab(SmallLab(folder));
  const Pair pair = SmallPair(lab);
  const EvaluationSizes sizes{.match_examples = 300, .ste_epochs = 2};
  const std::pair<Method, const char*> methods[] = {
      {Method::kActivations, "activations"},
      {Method::kWeights, "weights"},
      {Method::kStraightThrough, "ste"}};
  for (const auto& [method, name] : methods) {
    EXPECT_EQ(MatchBy(lab, pair, method, sizes).ToJson("x"),
              ByDefault(lab, pair, name, sizes).ToJson("x"))
        << name;
  }
}

}  // namespace
}  // namespace rebasin::lab
