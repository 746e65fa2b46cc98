// The appendix: planted permutations. B is A with its units permuted at random,
// with and without noise; does matching find the permutation?

#include <cmath>

#include "base/random.h"
#include "base/text.h"
#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/verdicts.h"
#include "rebasin/match.h"
#include "rebasin/merge.h"

namespace rebasin::lab {
namespace {

struct Tried {
  int found = 0, runs = 0;
  double passes = 0;  // mean
};

// Adds normal noise with `share` times the deviation of each tensor.
Checkpoint WithNoise(const Checkpoint& model, double share, uint64_t seed) {
  Random random(seed);
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : model.tensors()) {
    std::vector<float> values(static_cast<size_t>(tensor.size()));
    ReadFloats(tensor, 0, values);
    double squares = 0;
    for (const float value : values) squares += double{value} * value;
    const double size =
        share * std::sqrt(squares / static_cast<double>(values.size()));
    for (float& value : values) {
      value = static_cast<float>(value + size * random.Normal());
    }
    tensors.push_back(MakeTensor(tensor.name, tensor.shape, values));
  }
  return Checkpoint(std::move(tensors));
}

Tried Try(Lab& lab, const std::string& model, double noise,
          const MatchOptions& options, int runs) {
  const auto symmetry = lab.SymmetryOf(model);
  Tried tried{.runs = runs};
  for (int run = 0; run < runs; ++run) {
    lab.ReportProgress("recovery, " + model, run, runs);
    const uint64_t seed = 1000 * lab.seed() + static_cast<uint64_t>(run);
    const Checkpoint a =
        InitialWeights(*lab.GraphOf(model), Initialization::kKaiming, seed);
    const Alignment planted = Alignment::Random(symmetry, seed);
    const Checkpoint b =
        WithNoise(Permute(a, planted.Inverse()), noise, seed + 7);
    Run seeded = lab.QuietRun();
    seeded.seed = seed;
    const MatchResult found = MatchWeights(a, b, symmetry, options, seeded);
    tried.found += found.alignment == planted ? 1 : 0;
    tried.passes += found.report.passes;
  }
  tried.passes /= runs;
  return tried;
}

struct Network {
  const char* name;
  const char* model;
};
constexpr Network kNetworks[] = {
    {"MLP, 3 hidden layers of 64", "mlp:depth=3,width=64,in=64"},
    {"MLP, 12 hidden layers of 64", "mlp:depth=12,width=64,in=64"},
    {"residual MLP, 24 blocks of 64 and 128",
     "residual_mlp:depth=24,width=64,hidden=128,in=32"},
    {"ResNet20", "resnet20:shortcut=B"},
    {"ResNet56", "resnet56:shortcut=B"},
};

// A cell such as "9 of 10".
Cell FoundCell(const Tried& tried) {
  return {std::to_string(tried.found) + " of " + std::to_string(tried.runs),
          static_cast<double>(tried.found)};
}

double ShareMissed(const Tried& tried) {
  return static_cast<double>(tried.runs - tried.found) / tried.runs;
}

std::vector<Claim> Claims(const std::vector<NamedNumber>& missed_paper,
                          const std::vector<NamedNumber>& missed_ours) {
  return {
      NoneAbove("Weight matching as in the paper finds a planted permutation "
                "(share of runs without noise that miss it).",
                missed_paper, 0),
      NoneAbove("Weight matching as done here finds it (likewise).",
                missed_ours, 0)};
}

}  // namespace

Document RunRecovery(Lab& lab) {
  MatchOptions paper, ours, annealed;
  paper.start = MatchStart::kIdentity;
  paper.random_order = true;
  annealed.start = MatchStart::kBest;
  const int runs = lab.ForPreset(10, 50, 100);
  Document document{
      .title = "Recovery",
      .question = "If B is A with its units shuffled, is the shuffle found?"};
  DataTable table{.name = "recovery",
                  .caption =
                      "Runs in which the planted permutation was found "
                      "exactly; passes on average",
                  .columns = {"network", "noise", "the paper's", "passes",
                              "ours", "passes", "ours, annealed"}};
  std::vector<NamedNumber> missed_paper, missed_ours;
  for (const Network& network : kNetworks) {
    for (const double noise : {0.0, 0.5, 1.0}) {
      const Tried plain = Try(lab, network.model, noise, paper, runs);
      const Tried better = Try(lab, network.model, noise, ours, runs);
      const Tried best = Try(lab, network.model, noise, annealed, runs);
      table.rows.push_back({network.name, NumberCell(noise), FoundCell(plain),
                            NumberCell(plain.passes, 3), FoundCell(better),
                            NumberCell(better.passes, 3), FoundCell(best)});
      if (noise > 0) continue;
      missed_paper.push_back({network.name, ShareMissed(plain)});
      missed_ours.push_back({network.name, ShareMissed(better)});
    }
  }
  document.claims = Claims(missed_paper, missed_ours);
  document.blocks = {
      Paragraph{"Noise is normal, as large as this share of the weights' own "
                "size. With noise the planted permutation need not be the best "
                "one any more."},
      table};
  return document;
}

}  // namespace rebasin::lab
