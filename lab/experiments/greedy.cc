// The appendix: matching layer by layer in one pass, compared with matching
// both sides of each layer until nothing changes.

#include <array>

#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/verdicts.h"
#include "rebasin/match.h"

namespace rebasin::lab {
namespace {

// Like the paper's example: the incoming weights of the first layer prefer the
// identity by epsilon squared, and all later weights need both layers swapped.
struct Example {
  Checkpoint a, b;
  std::shared_ptr<const Symmetry> symmetry;
};

Checkpoint MakeModel(std::vector<float> w1, std::vector<float> w2,
                     std::vector<float> w3) {
  return Checkpoint({MakeTensor("w1", {2, 2}, w1), MakeTensor("w2", {2, 2}, w2),
                     MakeTensor("w3", {2, 2}, w3)});
}

Example EpsilonExample() {
  const float e = 0.1F;
  const std::vector<Group> groups = {{"first", 2}, {"second", 2}};
  const auto axes = [&](const char* out, const char* in) {
    return std::vector<Axis>{ParseAxis(out, groups), ParseAxis(in, groups)};
  };
  return {MakeModel({1, e, 1, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}),
          MakeModel({1, e, 1, 0}, {0, 0, 0, 1}, {0, 1, 0, 0}),
          std::make_shared<const Symmetry>(
              groups, std::vector<TensorSymmetry>{
                          {.name = "w1", .axes = axes("first", "2")},
                          {.name = "w2", .axes = axes("second", "first")},
                          {.name = "w3", .axes = axes("2", "second")}})};
}

struct Way {
  const char* name;
  MatchOptions options;
};

std::vector<Way> Ways() {
  MatchOptions greedy, once, paper, ours;
  greedy.greedy = true;
  paper.start = MatchStart::kIdentity;
  paper.random_order = true;
  once = paper;
  once.max_passes = 1;
  return {{"greedy, one forward pass", greedy},
          {"the paper's, one pass", once},
          {"the paper's", paper},
          {"ours", ours}};
}

// Both in the order of Ways().
std::vector<Claim> Claims(const std::vector<NamedNumber>& example_values,
                          const std::vector<NamedNumber>& barriers) {
  return {
      InThisOrder("There are networks that a single greedy pass cannot match "
                  "and weight matching can (objective of the example).",
                  {example_values[0], example_values[3]}, -1e-9),
      LowerThanAll("On trained networks, going on until nothing changes lowers "
                   "the barrier.",
                   barriers[2], {barriers[0], barriers[1]})};
}

}  // namespace

Document RunGreedy(Lab& lab) {
  Document document{
      .title = "Greedy matching",
      .question =
          "Is one forward pass over the layers enough, or must matching "
          "go on until nothing changes?"};
  const Example example = EpsilonExample();
  const Task& mnist = lab.Mnist();
  Training deep = MnistMlp(lab, mnist);
  deep.model = MlpFor(mnist, "depth=5,width=256");
  const Pair pair = TrainPair(lab, mnist, "deep MLP on MNIST", deep);
  EvaluationSizes sizes = DefaultSizes(lab, pair.model);
  DataTable table{.name = "ways",
                  .caption =
                      "Objective: the inner product of A's weights and "
                      "the matched B's",
                  .columns = {"way", "example: objective", "MLP: objective",
                              "MLP: barrier, train", "half-way, test"}};
  std::vector<NamedLine> lines;
  std::vector<NamedNumber> example_values, barriers;
  for (const Way& way : Ways()) {
    const double small = MatchWeights(example.a, example.b, example.symmetry,
                                      way.options, lab.QuietRun())
                             .report.objective_after;
    const MatchResult found =
        MatchWeights(pair.a, pair.b, lab.SymmetryOf(pair.model), way.options,
                     lab.QuietRun());
    lines.push_back(
        {way.name, Between(lab, std::string("greedy, ") + way.name, pair,
                           Permute(pair.b, found.alignment), sizes)});
    const Line& line = lines.back().line;
    table.rows.push_back({way.name, NumberCell(small),
                          NumberCell(found.report.objective_after),
                          NumberCell(line.train.loss),
                          PercentCell(line.test.midpoint_accuracy)});
    example_values.push_back({way.name, small});
    barriers.push_back({way.name, line.train.loss});
  }
  document.claims = Claims(example_values, barriers);
  document.blocks = {table,
                     LinesPlot("lines", "MLP with 5 hidden layers of 256",
                               "From A to the matched B.", lines)};
  return document;
}

}  // namespace rebasin::lab
