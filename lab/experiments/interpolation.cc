// Figure 2: loss and accuracy along the line between two networks, as they are
// and after matching by each of the three methods.

#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/verdicts.h"

namespace rebasin::lab {
namespace {

struct Case {
  const char* file;
  const char* name;
  const Task* task;
  Training training;
};

std::vector<Case> CasesOf(Lab& lab) {
  const Task& mnist = lab.Mnist();
  const Task& cifar = lab.Cifar10();
  return {{"mnist-mlp", "MLP on MNIST", &mnist, MnistMlp(lab, mnist)},
          {"cifar-mlp", "MLP on CIFAR-10", &cifar, CifarMlp(lab, cifar)},
          {"cifar-resnet20", "ResNet20 on CIFAR-10", &cifar,
           CifarResNet(lab, cifar, lab.By(1, 2, 32))},
          {"cifar-vgg16", "VGG16 on CIFAR-10", &cifar,
           CifarVgg(lab, cifar, lab.By(8, 4, 1))}};
}

}  // namespace

Document RunInterpolation(Lab& lab) {
  Document document{
      .title = "Between two networks",
      .question =
          "What is the loss between two networks that were trained "
          "apart, before and after their units are matched?"};
  for (const Case& one : CasesOf(lab)) {
    const Pair pair = TrainPair(lab, *one.task, one.name, one.training);
    const Looks looks = UsualLooks(lab, pair.model);
    std::vector<NamedLine> lines;
    std::vector<NamedNumber> matched;
    for (const Method method : AllMethods()) {
      lines.push_back({MethodName(method), LineBy(lab, pair, method, looks)});
      if (method == Method::kNaive) continue;
      matched.push_back({MethodName(method), lines.back().line.train.loss});
    }
    const std::string name = one.name;
    document.claims.push_back(BarrierVanishes(
        name + ": matching all but removes the loss barrier (training data).",
        lines[0].line.train.loss, matched));
    document.claims.push_back(InThisOrder(
        name + ": the straight-through estimator does best, weight matching "
               "next, activation matching after it; all beat the naive line.",
        {matched[2],
         matched[1],
         matched[0],
         {"naive", lines[0].line.train.loss}}));
    document.blocks.push_back(
        LinesPlot(one.file, name, "Loss and accuracy from A to B.", lines));
    document.blocks.push_back(
        LinesTable(std::string(one.file) + "-barriers", name, lines));
  }
  return document;
}

}  // namespace rebasin::lab
