// The appendix: merging networks with different normalisation layers.

#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/verdicts.h"

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

Pair TrainWith(Lab& lab, const Task& cifar, const Norm& norm) {
  const int divide = lab.By(16, 8, 1);
  Training training = CifarVgg(lab, cifar, divide);
  training.model = std::string("vgg16:norm=") + norm.word +
                   ",head=cifar,classes=10,divide=" + std::to_string(divide);
  return TrainPair(lab, cifar, norm.name, training);
}

}  // namespace

Document RunNorms(Lab& lab) {
  const Task& cifar = lab.Cifar10();
  Document document{.title = "Normalisation",
                    .question = "Which normalisation layers can be merged?"};
  std::vector<NamedLine> all;
  DataTable groups{.name = "symmetries",
                   .caption = "Symmetries of the networks",
                   .columns = {"norm", "groups", "within others",
                               "settings: 10 to the power"}};
  for (const Norm& norm : kNorms) {
    const Pair pair = TrainWith(lab, cifar, norm);
    const Looks looks = UsualLooks(lab, pair.model);
    const std::string name = norm.name;
    const Line naive = LineBy(lab, pair, Method::kNaive, looks);
    all.push_back({name + ", naive", naive});
    if (name == "BatchNorm") {
      all.push_back(
          {name + ", matched, statistics averaged",
           Between(lab, "BatchNorm, averaged", pair,
                   Permute(pair.b, MatchBy(lab, pair, Method::kWeights, looks)),
                   looks, /*recalculate=*/false)});
    }
    const Line matched = LineBy(lab, pair, Method::kWeights, looks);
    all.push_back({name + ", matched", matched});
    document.claims.push_back(
        BarrierVanishes(name + ": weight matching removes the barrier.",
                        naive.train.loss, {{"matched", matched.train.loss}}));
    const auto symmetry = lab.SymmetryOf(pair.model);
    double within = 0;
    for (const Group& group : symmetry->groups()) {
      within += group.parent != kNoGroup ? 1 : 0;
    }
    groups.rows.push_back(
        {name, NumberCell(static_cast<double>(symmetry->groups().size())),
         NumberCell(within), NumberCell(symmetry->Log10Order())});
  }
  const Line& averaged = all[1].line;
  const Line& recalculated = all[2].line;
  document.claims.push_back(InThisOrder(
      "BatchNorm's statistics must be measured anew in the merged network.",
      {{"measured anew", recalculated.train.midpoint_loss},
       {"averaged", averaged.train.midpoint_loss}}));
  document.blocks = {
      Paragraph{"GroupNorm normalises channels in groups. Channels may change "
                "places within their group, and groups as wholes: the paper "
                "thought that this could not be matched."},
      groups, LinesTable("barriers", "VGG16 on CIFAR-10", all),
      LinesPlot("lines", "VGG16 on CIFAR-10", "From A to B.", all)};
  return document;
}

}  // namespace rebasin::lab
