// Figure 2: loss and accuracy along the line between two networks, without
// alignment and after matching by each of the three methods.

#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/verdicts.h"
#include "rebasin/zoo.h"

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
          {"cifar-vgg16", "VGG16 on CIFAR-10", &cifar,
           CifarVgg(lab, cifar, lab.ForPreset(8, 4, 1))},
          {"cifar-resnet20", "ResNet20 on CIFAR-10", &cifar,
           CifarResNet(lab, cifar, lab.ForPreset(1, 1, 32))}};
}

// The paper's ResNet50s, or any two given networks.
Pair ImageNetPair(Lab& lab) {
  const auto& files = lab.options().imagenet_networks;
  Pair pair{.task = &lab.ImageNet(),
            .name = "two networks on ImageNet",
            .a = Checkpoint::Open(files.at(0)),
            .b = Checkpoint::Open(files.at(1))};
  CheckSameStructure(pair.a, pair.b);
  pair.model = RecogniseModel(pair.a);
  return pair;
}

void Add(Lab& lab, Document& document, const std::string& file,
         const Pair& pair) {
  const EvaluationSizes sizes = DefaultSizes(lab, pair.model);
  std::vector<NamedLine> lines;
  std::vector<NamedNumber> matched;
  for (const Method method : AllMethods()) {
    lines.push_back({MethodName(method), LineBy(lab, pair, method, sizes)});
    if (method == Method::kNaive) continue;
    matched.push_back({MethodName(method), lines.back().line.train.loss});
  }
  const std::string& name = pair.name;
  const double naive = lines[0].line.train.loss;
  document.claims.push_back(BarrierVanishes(
      name + ": matching all but removes the loss barrier (training data).",
      naive, matched));
  document.claims.push_back(InThisOrder(
      name + ": the straight-through estimator does best, weight matching "
             "next, activation matching after it; all beat the naive line.",
      {matched[2], matched[1], matched[0], {"naive", naive}}));
  document.blocks.push_back(
      LinesPlot(file, name, "Loss and accuracy from A to B.", lines));
  document.blocks.push_back(LinesTable(file + "-barriers", name, lines));
}

}  // namespace

Document RunInterpolation(Lab& lab) {
  Document document{
      .title = "Between two networks",
      .question =
          "What is the loss between two networks that were trained "
          "apart, before and after their units are matched?"};
  if (!lab.options().imagenet_networks.empty()) {
    Add(lab, document, "imagenet", ImageNetPair(lab));
    return document;
  }
  for (const Case& one : CasesOf(lab)) {
    Add(lab, document, one.file,
        TrainPair(lab, *one.task, one.name, one.training));
  }
  return document;
}

}  // namespace rebasin::lab
