// The appendix: where matching is known to fail.

#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/verdicts.h"

namespace rebasin::lab {
namespace {

struct Case {
  const char* name;
  const char* why;
  Training training;
  const Task* task;
};

std::vector<Case> CasesOf(Lab& lab) {
  const Task& mnist = lab.Mnist();
  const Training usual = MnistMlp(lab, mnist);
  std::vector<Case> cases = {{"as usual", "to compare with", usual, &mnist}};
  Training narrow = usual;
  narrow.model = MlpFor(mnist, "width=8");
  cases.push_back({"narrow", "8 units a layer", narrow, &mnist});
  Training early = usual;
  early.recipe.epochs = 1;
  early.train = SelectFirst(mnist.data.train, 5000);
  early.subset = "first 5000";
  cases.push_back({"early", "one epoch on 5,000 examples", early, &mnist});
  Training slow = usual;
  slow.recipe.optimizer = OptimizerKind::kSgd;
  slow.recipe.learning_rate = 1e-3;
  cases.push_back({"SGD, low rate", "rate 0.001", slow, &mnist});
  Training fast = usual;
  fast.recipe.learning_rate = 1e-2;
  cases.push_back({"Adam, high rate", "rate 0.01", fast, &mnist});
  Training deep = usual;
  deep.model = MlpFor(mnist, "depth=12,width=128");
  cases.push_back({"deep", "12 hidden layers of 128", deep, &mnist});
  const Task& cifar = lab.Cifar10();
  cases.push_back({"depth-wise convolutions", "ConvMixer on CIFAR-10",
                   CifarConvMixer(lab, cifar), &cifar});
  return cases;
}

}  // namespace

Document RunFailures(Lab& lab) {
  Document document{
      .title = "Where matching fails",
      .question =
          "Under which circumstances does weight matching leave a "
          "barrier?"};
  DataTable table{.name = "barriers",
                  .caption =
                      "MLPs on MNIST where nothing else is said; barriers on "
                      "training data",
                  .columns = {"case", "what", "loss of A", "naive barrier",
                              "after matching", "left"}};
  std::vector<NamedLine> lines;
  std::vector<NamedNumber> left;
  for (const Case& one : CasesOf(lab)) {
    const Pair pair = TrainPair(
        lab, *one.task, std::string("failures, ") + one.name, one.training);
    const EvaluationSizes sizes = DefaultSizes(lab, pair.model);
    const Line naive = LineBy(lab, pair, Method::kNaive, sizes);
    const Line matched = LineBy(lab, pair, Method::kWeights, sizes);
    const double share =
        naive.train.loss > 0 ? matched.train.loss / naive.train.loss : 0;
    table.rows.push_back({one.name, one.why,
                          NumberCell(naive.points.front().train.loss),
                          NumberCell(naive.train.loss),
                          NumberCell(matched.train.loss), PercentCell(share)});
    lines.push_back({one.name, matched});
    if (std::string(one.name) != "as usual") {
      left.push_back({one.name, share});
    }
  }
  document.claims = {AllAbove(
      "In narrow networks, early in training, with SGD at low rates and Adam "
      "at high ones, in deep networks and those with depth-wise convolutions "
      "more than a tenth of the barrier stays (share that is "
      "left).",
      left, 0.1)};
  document.blocks = {table, LinesPlot("lines", "After weight matching",
                                      "From A to the matched B.", lines)};
  return document;
}

}  // namespace rebasin::lab
