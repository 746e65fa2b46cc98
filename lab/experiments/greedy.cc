// The appendix: matching layer by layer in one pass, compared with matching
// both sides of each layer until nothing changes: on an example made for it,
// and on the VGG11s with which the paper compares OT-Fusion.

#include <array>
#include <chrono>

#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/ot_fusion.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/verdicts.h"
#include "rebasin/match.h"

namespace rebasin::lab {
namespace {

using SymmetryPtr = std::shared_ptr<const Symmetry>;

// Like the paper's example: the incoming weights of the first layer prefer the
// identity by epsilon squared, and all later weights need both layers swapped.
struct Example {
  Checkpoint a, b;
  SymmetryPtr symmetry;
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

Alignment ByWeights(const Checkpoint& a, const Checkpoint& b,
                    const SymmetryPtr& symmetry, const MatchOptions& options,
                    const Run& run) {
  return MatchWeights(a, b, symmetry, options, run).alignment;
}

Alignment ByGreedy(const Checkpoint& a, const Checkpoint& b,
                   const SymmetryPtr& symmetry, const Run& run) {
  MatchOptions options;
  options.greedy = true;
  return ByWeights(a, b, symmetry, options, run);
}

MatchOptions PaperOptions() {
  MatchOptions options;
  options.start = MatchStart::kIdentity;
  options.random_order = true;
  return options;
}

Alignment ByOnePass(const Checkpoint& a, const Checkpoint& b,
                    const SymmetryPtr& symmetry, const Run& run) {
  MatchOptions options = PaperOptions();
  options.max_passes = 1;
  return ByWeights(a, b, symmetry, options, run);
}

Alignment ByPaper(const Checkpoint& a, const Checkpoint& b,
                  const SymmetryPtr& symmetry, const Run& run) {
  return ByWeights(a, b, symmetry, PaperOptions(), run);
}

Alignment ByOurs(const Checkpoint& a, const Checkpoint& b,
                 const SymmetryPtr& symmetry, const Run& run) {
  return ByWeights(a, b, symmetry, {}, run);
}

Alignment ByOtFusion(const Checkpoint& a, const Checkpoint& b,
                     const SymmetryPtr& symmetry, const Run&) {
  return OtFusion(a, b, symmetry);
}

struct Way {
  const char* name;
  Alignment (*align)(const Checkpoint& a, const Checkpoint& b,
                     const SymmetryPtr& symmetry, const Run& run);
};

constexpr std::array kWays = {Way{"OT-Fusion by weights", ByOtFusion},
                              Way{"greedy, one forward pass", ByGreedy},
                              Way{"the paper's, one pass", ByOnePass},
                              Way{"the paper's", ByPaper}, Way{"ours", ByOurs}};

struct Timed {
  Alignment alignment;
  double seconds = 0;
};

Timed Align(Lab& lab, const Way& way, const Pair& pair) {
  const Json known =
      lab.Memoized(std::string("greedy, alignment, ") + way.name, [&] {
        const auto begin = std::chrono::steady_clock::now();
        const Alignment found = way.align(
            pair.a, pair.b, lab.SymmetryOf(pair.model), lab.QuietRun());
        const std::chrono::duration<double> seconds =
            std::chrono::steady_clock::now() - begin;
        return Json(
            {{"alignment", found.ToJson("lab")}, {"seconds", seconds.count()}});
      });
  return {
      Alignment::FromJson(known.at("alignment").get<std::string>(), way.name),
      known.at("seconds")};
}

double ExampleObjective(const Way& way, const Example& example,
                        const Run& run) {
  const Alignment found =
      way.align(example.a, example.b, example.symmetry, run);
  return DescribeAlignment(example.a, example.b, found).objective_after;
}

// What each way found, in the order of kWays.
struct Found {
  std::vector<NamedNumber> objectives, barriers, errors, seconds;
};

std::vector<Claim> Claims(const Found& found, const std::string& shortened) {
  const NamedNumber &ot_errors = found.errors[0], &errors = found.errors[3];
  return {
      InThisOrder("There are networks that a single greedy pass cannot match "
                  "and weight matching can (objective of the example).",
                  {found.objectives[1], found.objectives[4]}, -1e-9),
      AtSize(LowerThanAll("VGG11: the network merged by weight matching errs "
                          "less often than that by OT-Fusion (86.57 % "
                          "right against 85.98 % in the paper).",
                          errors, {ot_errors}),
             shortened),
      LowerThanAll("VGG11: weight matching takes less time than OT-Fusion "
                   "(seconds; 0.64 against 2.86 in the paper).",
                   found.seconds[3], {found.seconds[0]}),
      AtSize(LowerThanAll("VGG11: going on until nothing changes lowers the "
                          "barrier (the paper's weight matching).",
                          found.barriers[3],
                          {found.barriers[1], found.barriers[2]}),
             shortened)};
}

}  // namespace

Document RunGreedy(Lab& lab) {
  Document document{
      .title = "Greedy matching",
      .question =
          "Is one forward pass over the layers enough, or must matching "
          "go on until nothing changes?"};
  const Example example = EpsilonExample();
  const Task& cifar = lab.Cifar10();
  const Pair pair =
      TrainPair(lab, cifar, CifarVgg11(lab, cifar, lab.ForPreset(8, 4, 1)));
  const EvaluationSizes sizes = DefaultSizes(lab, pair.model);
  DataTable table{
      .name = "ways",
      .caption =
          "Objective: the inner product of A's weights and the "
          "matched B's. Half-way: the mean of both networks.",
      .columns = {"way", "example: objective", "VGG11: seconds",
                  "barrier, train", "half-way, test: loss", "accuracy"}};
  std::vector<NamedLine> lines = {
      {"naive", LineBy(lab, pair, Method::kNaive, sizes)}};
  Found found;
  for (const Way& way : kWays) {
    const double objective = ExampleObjective(way, example, lab.QuietRun());
    const Timed timed = Align(lab, way, pair);
    lines.push_back(
        {way.name, Between(lab, std::string("greedy, ") + way.name, pair,
                           Permute(pair.b, timed.alignment), sizes)});
    const Line& line = lines.back().line;
    table.rows.push_back(
        {way.name, NumberCell(objective), NumberCell(timed.seconds, 3),
         NumberCell(line.train.loss), NumberCell(line.test.midpoint_loss),
         PercentCell(line.test.midpoint_accuracy)});
    found.objectives.push_back({way.name, objective});
    found.seconds.push_back({way.name, timed.seconds});
    found.barriers.push_back({way.name, line.train.loss});
    found.errors.push_back({way.name, 1 - line.test.midpoint_accuracy});
  }
  document.claims = Claims(found, pair.shortened);
  document.blocks = {
      Paragraph{"OT-Fusion is run as its authors do for VGG11: exact transport "
                "between the incoming weights of units, scaled to unit length, "
                "one layer after the other."},
      table, LinesPlot("lines", pair.name, "From A to the matched B.", lines)};
  return document;
}

}  // namespace rebasin::lab
