// The appendix: where matching is known to fail.

#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/verdicts.h"

namespace rebasin::lab {
namespace {

struct Case {
  const Task* task;
  Training training;
};

Case Usual(Lab& lab) { return {&lab.Mnist(), MnistMlp(lab, lab.Mnist())}; }

Case Narrow(Lab& lab) {
  Case made = Usual(lab);
  made.training.model = MlpFor(*made.task, "width=8");
  return made;
}

// The claim is about the beginning, so nothing is shortened.
Case Early(Lab& lab) {
  Case made = Usual(lab);
  made.training.recipe.epochs = 1;
  made.training.shortened = "";
  return made;
}

Case SlowSgd(Lab& lab) {
  Case made = Usual(lab);
  made.training.recipe.optimizer = OptimizerKind::kSgd;
  made.training.recipe.learning_rate = 1e-3;
  return made;
}

Case FastAdam(Lab& lab) {
  Case made = Usual(lab);
  made.training.recipe.learning_rate = 1e-2;
  return made;
}

Case Deep(Lab& lab) {
  Case made = Usual(lab);
  made.training.model = MlpFor(*made.task, "depth=12,width=128");
  return made;
}

Case VggOnMnist(Lab& lab) {
  const Task& mnist = lab.MnistAsColour();
  return {&mnist, MnistVgg(lab, mnist, lab.ForPreset(16, 4, 1))};
}

Case ConvNext(Lab& lab) {
  return {&lab.Cifar10(), CifarConvNext(lab, lab.Cifar10())};
}

struct NamedCase {
  const char* network;  // for --only
  const char* what;
  Case (*make)(Lab& lab);
};
constexpr NamedCase kCases[] = {
    {"usual", "to compare with", Usual},
    {"narrow", "8 units a layer", Narrow},
    {"early", "one epoch", Early},
    {"slow-sgd", "SGD at a rate of 0.001", SlowSgd},
    {"fast-adam", "Adam at a rate of 0.01", FastAdam},
    {"deep", "12 hidden layers of 128", Deep},
    {"vgg16", "VGG16 on MNIST", VggOnMnist},
    {"convnext", "ConvNeXt's blocks on CIFAR-10", ConvNext}};

// Left of the barrier: 1 if matching does nothing, 0 if it removes it.
double ShareLeft(const Line& naive, const Line& matched) {
  return naive.train.loss > 0 ? matched.train.loss / naive.train.loss : 0;
}

// One claim for each case, because each has a size of its own.
Claim ClaimOf(const NamedCase& one, double left, const std::string& shortened) {
  return AtSize(AllAbove(std::string(one.what) +
                             ": more than a tenth of the barrier stays after "
                             "weight matching (share that is left).",
                         {{one.network, left}}, 0.1),
                shortened);
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
  for (const NamedCase& one : kCases) {
    if (!lab.Wants(one.network)) continue;
    Case made = one.make(lab);
    if (one.make != Usual) made.training.name = one.what;
    const Pair pair = TrainPair(lab, *made.task, made.training,
                                std::string("failures, ") + one.network);
    const EvaluationSizes sizes = DefaultSizes(lab, pair.model);
    const Line naive = LineBy(lab, pair, Method::kNaive, sizes);
    const Line matched = LineBy(lab, pair, Method::kWeights, sizes);
    const double left = ShareLeft(naive, matched);
    table.rows.push_back({one.network, one.what,
                          NumberCell(naive.points.front().train.loss),
                          NumberCell(naive.train.loss),
                          NumberCell(matched.train.loss), PercentCell(left)});
    lines.push_back({one.network, matched});
    if (one.make != Usual) {
      document.claims.push_back(ClaimOf(one, left, pair.shortened));
    }
  }
  document.blocks = {table, LinesPlot("lines", "After weight matching",
                                      "From A to the matched B.", lines)};
  return document;
}

}  // namespace rebasin::lab
