// The appendix: merging networks with different normalisation layers.

#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/verdicts.h"
#include "rebasin/repair.h"

namespace rebasin::lab {
namespace {

struct Norm {
  const char* word;
  const char* name;
};
constexpr Norm kNorms[] = {{"batch", "BatchNorm"},
                           {"layer", "LayerNorm"},
                           {"instance", "InstanceNorm"},
                           {"group", "GroupNorm"}};

// Narrower networks with LayerNorm could not be merged either, so they would
// say nothing about norms.
Pair TrainWith(Lab& lab, const Task& cifar, const Norm& norm) {
  return TrainPair(lab, cifar,
                   CifarVgg(lab, cifar, lab.ForPreset(4, 4, 1), norm.word),
                   norm.name);
}

// The line of the unaligned networks, and that of each way to merge them.
std::vector<NamedLine> LinesOf(Lab& lab, const Pair& pair) {
  const EvaluationSizes sizes = DefaultSizes(lab, pair.model);
  std::vector<NamedLine> lines = {
      {"naive", LineBy(lab, pair, Method::kNaive, sizes)},
      {"matched", LineBy(lab, pair, Method::kWeights, sizes)}};
  if (HasBatchNorm(*lab.GraphOf(pair.model))) {
    lines.push_back(
        {"matched, statistics averaged",
         Between(lab, pair.name + ", averaged", pair,
                 Permute(pair.b, MatchBy(lab, pair, Method::kWeights, sizes)),
                 sizes, /*recalculate=*/false)});
  }
  return lines;
}

std::vector<Cell> SymmetryRow(Lab& lab, const Pair& pair) {
  const auto symmetry = lab.SymmetryOf(pair.model);
  double within = 0;
  for (const Group& group : symmetry->groups()) {
    within += group.parent != kNoGroup ? 1 : 0;
  }
  return {{pair.name},
          NumberCell(static_cast<double>(symmetry->groups().size())),
          NumberCell(within),
          NumberCell(symmetry->Log10Order())};
}

}  // namespace

Document RunNorms(Lab& lab) {
  const Task& cifar = lab.Cifar10();
  Document document{.title = "Normalisation",
                    .question = "Which normalisation layers can be merged?"};
  std::vector<NamedLine> all;
  std::vector<Block> plots;
  DataTable groups{.name = "symmetries",
                   .caption = "Symmetries of the networks",
                   .columns = {"norm", "groups", "within others",
                               "settings: 10 to the power"}};
  std::string shortened;
  for (const Norm& norm : kNorms) {
    const Pair pair = TrainWith(lab, cifar, norm);
    const std::vector<NamedLine> lines = LinesOf(lab, pair);
    for (const NamedLine& line : lines) {
      all.push_back({pair.name + ", " + line.name, line.line});
    }
    document.claims.push_back(AtSize(
        BarrierVanishes(pair.name + ": weight matching removes the barrier.",
                        lines[0].line.train.loss,
                        {{"matched", lines[1].line.train.loss}}),
        pair.shortened));
    shortened = pair.shortened;
    plots.push_back(
        LinesPlot(norm.word, "VGG16 with " + pair.name, "From A to B.", lines));
    groups.rows.push_back(SymmetryRow(lab, pair));
  }
  // BatchNorm comes first, and it alone has three lines.
  const Line &recalculated = all[1].line, &averaged = all[2].line;
  document.claims.push_back(AtSize(
      InThisOrder(
          "BatchNorm's statistics must be measured anew in the merged network.",
          {{"measured anew", recalculated.train.midpoint_loss},
           {"averaged", averaged.train.midpoint_loss}}),
      shortened));
  document.blocks = {
      Paragraph{"GroupNorm normalises channels in groups. Channels may change "
                "places within their group, and groups as wholes: the paper "
                "thought that this could not be matched."},
      groups, LinesTable("barriers", "VGG16 on CIFAR-10", all)};
  document.blocks.insert(document.blocks.end(), plots.begin(), plots.end());
  return document;
}

}  // namespace rebasin::lab
