// Figure 3: when in training networks become connected.

#include "base/text.h"
#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/verdicts.h"

namespace rebasin::lab {
namespace {

// Most points are early, where the barrier falls fast.
std::vector<int64_t> EpochsUpTo(int64_t last) {
  std::vector<int64_t> epochs;
  for (int64_t epoch = 1; epoch < last; epoch += (epoch + 2) / 2) {
    epochs.push_back(epoch);
  }
  epochs.push_back(last);
  return epochs;
}

struct Onset {
  std::vector<double> epochs, naive, matched;
  std::vector<NamedLine> first, last;  // lines at the first and last epoch
  std::string shortened;
};

Onset Measure(Lab& lab, const Task& task, Training training) {
  const std::vector<int64_t> epochs = EpochsUpTo(training.recipe.epochs);
  const EvaluationSizes sizes = DefaultSizes(lab, training.model);
  training.recipe.seed = NetworkSeed(lab, 0);
  const auto as = lab.TrainWithCheckpoints(task, training, epochs);
  training.recipe.seed = NetworkSeed(lab, 1);
  const auto bs = lab.TrainWithCheckpoints(task, training, epochs);
  Onset onset;
  onset.shortened = training.shortened;
  for (size_t e = 0; e < epochs.size(); ++e) {
    const Pair pair{.task = &task,
                    .name = "onset, " + training.name + ", epoch " +
                            std::to_string(epochs[e]),
                    .model = training.model,
                    .a = as[e],
                    .b = bs[e]};
    const std::vector<NamedLine> lines = {
        {"naive", LineBy(lab, pair, Method::kNaive, sizes)},
        {"weight matching", LineBy(lab, pair, Method::kWeights, sizes)}};
    onset.epochs.push_back(static_cast<double>(epochs[e]));
    onset.naive.push_back(lines[0].line.train.loss);
    onset.matched.push_back(lines[1].line.train.loss);
    if (e == 0) onset.first = lines;
    onset.last = lines;
  }
  return onset;
}

void Add(Document& document, const std::string& file, const std::string& name,
         const Onset& onset) {
  LineChart chart{
      .x_label = "epochs trained",
      .y_label = "loss barrier, training data",
      .series = {
          {.name = "naive", .x = onset.epochs, .y = onset.naive},
          {.name = "weight matching", .x = onset.epochs, .y = onset.matched}}};
  document.claims.push_back(AtSize(
      Falls(name + ": networks are not connected at the beginning of training; "
                   "the barrier after matching falls as they learn.",
            "epoch", onset.epochs, onset.matched),
      onset.shortened));
  document.blocks.push_back(
      Plot{file,
           "The barrier between two networks after each epoch.",
           {.title = name, .panels = {chart}}});
  document.blocks.push_back(LinesPlot(file + "-first", name + ", first epoch",
                                      "The line at the first epoch.",
                                      onset.first));
  document.blocks.push_back(LinesPlot(file + "-last", name + ", last epoch",
                                      "The line at the last epoch.",
                                      onset.last));
}

}  // namespace

Document RunOnset(Lab& lab) {
  Document document{
      .title = "When networks become connected",
      .question =
          "How long must networks be trained until matching brings "
          "them into one basin?"};
  if (lab.Wants("mnist-mlp")) {
    const Task& mnist = lab.Mnist();
    Add(document, "mnist", "MLP on MNIST",
        Measure(lab, mnist, MnistMlp(lab, mnist)));
  }
  if (lab.Wants("cifar-mlp")) {
    const Task& cifar = lab.Cifar10();
    Add(document, "cifar10", "MLP on CIFAR-10",
        Measure(lab, cifar, CifarMlp(lab, cifar)));
  }
  return document;
}

}  // namespace rebasin::lab
