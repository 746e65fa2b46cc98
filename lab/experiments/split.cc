// Figures 5, 8 and 9: two networks, each trained on a biased half of the data
// that the other has not seen, and their merge.

#include <algorithm>
#include <array>

#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/reliability.h"
#include "lab/verdicts.h"

namespace rebasin::lab {
namespace {

constexpr double kFew = 0.2, kMost = 0.8;

// The paper has CIFAR-100. Without it, CIFAR-10 is split in the same way.
const Task& SplitTask(Lab& lab) {
  return lab.HasCifar100() ? lab.Cifar100() : lab.Cifar10();
}

Evaluations Measured(Lab& lab, const Pair& pair, const std::string& key,
                     const std::vector<Checkpoint>& models) {
  return EvaluateOnAll(lab, *pair.task, pair.model, pair.name + ", " + key,
                       models);
}

void NoteOtherData(Training& training) {
  if (!training.shortened.empty()) training.shortened += ", ";
  training.shortened += "CIFAR-10 for CIFAR-100";
}

Checkpoint Midpoint(const Checkpoint& a, const Checkpoint& b) {
  const std::array<MergeInput, 2> models = {MergeInput{&a}, MergeInput{&b}};
  return Merge(models);
}

NamedNumber ErrorsOf(const char* name, const NamedEvaluation& network) {
  return {name, 1 - network.on.test.accuracy};
}

Pair TrainSplit(Lab& lab, const Task& task, Training training) {
  Pair pair{.task = &task,
            .name = training.name + ", split",
            .model = training.model,
            .shortened = training.shortened};
  training.recipe.seed = NetworkSeed(lab, 0);
  training.train = SelectBiased(task.data.train, kFew, kMost, lab.seed());
  training.subset = "biased 0.2/0.8";
  pair.a = lab.Train(task, training);
  training.recipe.seed = NetworkSeed(lab, 1);
  training.train =
      SelectBiased(task.data.train, 1 - kFew, 1 - kMost, lab.seed());
  training.subset = "biased 0.8/0.2";
  pair.b = lab.Train(task, training);
  return pair;
}

// Of A, B, the naive mean, the merged network, the ensemble, and the network
// that was trained on all data.
std::vector<Claim> Claims(const std::vector<NamedEvaluation>& all) {
  return {
      LowerThanAll("The merged network has a lower test loss than either of "
                   "its parents (Figure 5).",
                   {"merged", all[3].on.test.loss},
                   {{"A", all[0].on.test.loss}, {"B", all[1].on.test.loss}}),
      LowerThanAll("It also errs less often (share of errors).",
                   ErrorsOf("merged", all[3]),
                   {ErrorsOf("A", all[0]), ErrorsOf("B", all[1])}),
      InThisOrder("The ensemble is better still, and training on all data "
                  "best (test loss).",
                  {{"all data", all[5].on.test.loss},
                   {"ensemble", all[4].on.test.loss},
                   {"merged", all[3].on.test.loss}}),
      LowerThanAll("The merged network is better calibrated than its parents "
                   "(expected calibration error).",
                   {"merged", all[3].on.test.calibration_error},
                   {{"A", all[0].on.test.calibration_error},
                    {"B", all[1].on.test.calibration_error}})};
}

}  // namespace

Document RunSplit(Lab& lab) {
  const Task& task = SplitTask(lab);
  Training training =
      CifarResNet(lab, task, lab.ForPreset(1, 1, kPaperResNetWidth));
  if (!lab.HasCifar100()) NoteOtherData(training);
  const Pair pair = TrainSplit(lab, task, training);
  Training whole = training;
  whole.recipe.seed = NetworkSeed(lab, 0);
  const Checkpoint full = lab.Train(task, whole);
  const EvaluationSizes sizes = DefaultSizes(lab, pair.model);
  const Checkpoint moved =
      Permute(pair.b, MatchBy(lab, pair, Method::kWeights, sizes));

  const std::vector<NamedEvaluation> all = {
      {"A", Measured(lab, pair, "A", {pair.a})},
      {"B", Measured(lab, pair, "B", {pair.b})},
      {"naive mean", Measured(lab, pair, "naive", {Midpoint(pair.a, pair.b)})},
      {"matched and merged",
       Measured(lab, pair, "merged", {Midpoint(pair.a, moved)})},
      {"ensemble", Measured(lab, pair, "ensemble", {pair.a, pair.b})},
      {"trained on all", Measured(lab, pair, "whole", {full})}};

  Document document{
      .title = "Split data",
      .question =
          "Can two networks that saw disjoint, biased halves of the "
          "data be merged into one that is better than both?"};
  for (const Claim& claim : Claims(all)) {
    document.claims.push_back(AtSize(claim, pair.shortened));
  }
  document.blocks = {
      Paragraph{"A saw a fifth of the examples of the lower half of the "
                "classes and four fifths of the upper half; B saw the rest."},
      LinesPlot(
          "lines", "ResNet20s on halves of " + task.name,
          "From A to B, as they are and matched.",
          {{"naive", LineBy(lab, pair, Method::kNaive, sizes)},
           {"weight matching", LineBy(lab, pair, Method::kWeights, sizes)}}),
      EvaluationTable("networks", "On all data", all, task.data.test.classes()),
      ReliabilityPlot("calibration", "Calibration", all)};
  return document;
}

}  // namespace rebasin::lab
