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

// ResNet20 is 1/32 as wide as the paper's in the smaller presets.
int ResNetWidth(const Lab& lab) {
  return lab.ForPreset(1, 1, kPaperResNetWidth);
}

struct Case {
  const Task* task;
  Training training;
};

Case MnistCase(Lab& lab) { return {&lab.Mnist(), MnistMlp(lab, lab.Mnist())}; }
Case CifarCase(Lab& lab) {
  return {&lab.Cifar10(), CifarMlp(lab, lab.Cifar10())};
}
Case AdamCase(Lab& lab) {
  return {&lab.Cifar10(), CifarMlpByAdam(lab, lab.Cifar10())};
}
Case VggCase(Lab& lab) {
  return {&lab.Cifar10(), CifarVgg(lab, lab.Cifar10(), lab.ForPreset(8, 4, 1))};
}
Case ResNetCase(Lab& lab) {
  return {&lab.Cifar10(), CifarResNet(lab, lab.Cifar10(), ResNetWidth(lab))};
}
Case BatchNormCase(Lab& lab) {
  const Task& cifar = lab.Cifar10();
  Case made{&cifar, CifarResNet(lab, cifar, ResNetWidth(lab), "batch")};
  made.training.name += ", BatchNorm";
  return made;
}

struct NamedCase {
  const char* network;  // for --only
  Case (*make)(Lab& lab);
  // The paper shows a test loss that is lower half-way than at the ends.
  bool lower_half_way = false;
};
constexpr NamedCase kCases[] = {
    {"mnist-mlp", MnistCase, true}, {"cifar-mlp", CifarCase},
    {"cifar-mlp-adam", AdamCase},   {"cifar-vgg16", VggCase},
    {"cifar-resnet20", ResNetCase}, {"cifar-resnet20-batch", BatchNormCase}};

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

// Of the lines of all methods, the naive one first.
std::vector<Claim> Claims(const std::string& name,
                          const std::vector<NamedLine>& lines) {
  std::vector<NamedNumber> train;
  for (const NamedLine& line : lines) {
    train.push_back({line.name, line.line.train.loss});
  }
  const NamedNumber &naive = train[0], &activations = train[1],
                    &weights = train[2], &ste = train[3];
  return {
      BarrierVanishes(
          name + ": matching all but removes the loss barrier (training data).",
          naive.value, {activations, weights, ste}),
      InThisOrder(
          name + ": the straight-through estimator does best, weight matching "
                 "next, activation matching after it; all beat the naive line.",
          {ste, weights, activations, naive}, /*tolerance=*/0.02,
          kNegligibleBarrier)};
}

Claim LowerHalfWay(const std::string& name, const NamedLine& matched) {
  const std::vector<LinePoint>& points = matched.line.points;
  return LowerThanAll(
      name +
          ": half-way between the matched networks the test loss is lower "
          "than that of both parents (" +
          matched.name + ").",
      {"half-way", matched.line.test.midpoint_loss},
      {{"A", points.front().test.loss}, {"B", points.back().test.loss}});
}

void Add(Lab& lab, Document& document, const std::string& file,
         const Pair& pair, bool lower_half_way) {
  const EvaluationSizes sizes = DefaultSizes(lab, pair.model);
  std::vector<NamedLine> lines;
  for (const Method method : AllMethods()) {
    lines.push_back({MethodName(method), LineBy(lab, pair, method, sizes)});
  }
  std::vector<Claim> claims = Claims(pair.name, lines);
  if (lower_half_way) {
    claims.push_back(LowerHalfWay(pair.name, lines[2]));
    claims.push_back(LowerHalfWay(pair.name, lines[3]));
  }
  for (const Claim& claim : claims) {
    document.claims.push_back(AtSize(claim, pair.shortened));
  }
  document.blocks.push_back(
      LinesPlot(file, pair.name, "Loss and accuracy from A to B.", lines));
  document.blocks.push_back(LinesTable(file + "-barriers", pair.name, lines));
}

}  // namespace

Document RunInterpolation(Lab& lab) {
  Document document{
      .title = "Between two networks",
      .question =
          "What is the loss between two networks that were trained "
          "apart, before and after their units are matched?"};
  if (!lab.options().imagenet_networks.empty()) {
    Add(lab, document, "imagenet", ImageNetPair(lab),
        /*lower_half_way=*/false);
    return document;
  }
  for (const NamedCase& one : kCases) {
    if (!lab.Wants(one.network)) continue;
    const Case made = one.make(lab);
    Add(lab, document, one.network, TrainPair(lab, *made.task, made.training),
        one.lower_half_way);
  }
  return document;
}

}  // namespace rebasin::lab
