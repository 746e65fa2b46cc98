// VGG (Simonyan and Zisserman, 2014) with the names of torchvision. The heads
// for CIFAR are one dense layer over the pooled channels, or three as in the
// Git Re-Basin paper, of the width of the last stage.

#include <algorithm>

#include "zoo/architecture.h"
#include "zoo/layers.h"
#include "zoo/norms.h"

namespace rebasin::zoo {
namespace {

// The number of convolutions before each of the five poolings.
using Stages = std::vector<int>;
constexpr int64_t kChannels[] = {64, 128, 256, 512, 512};

// Layers are numbered by their index in the Sequential "features".
class Features {
 public:
  Features(GraphBuilder& g, const Settings& settings)
      : g_(g), settings_(settings) {}

  ValueId Conv(ValueId x, int64_t channels) {
    x = Norm(Conv2d(g_, Next(), x, channels, {.bias = true}));
    ++next_;
    return Relu(g_, x);
  }
  ValueId Pool(ValueId x) {
    ++next_;
    return MaxPool2d(g_, x, 2, 2);
  }

 private:
  std::string Next() { return "features." + std::to_string(next_++); }
  ValueId Norm(ValueId x) {
    if (settings_.Is("norm", "none")) return x;
    return Norm2d(g_, settings_, Next(), x);
  }

  GraphBuilder& g_;
  const Settings& settings_;
  int next_ = 0;
};

// Two hidden layers of one size, and the outputs.
ValueId DenseLayers(GraphBuilder& g, ValueId x, int64_t hidden,
                    int64_t classes) {
  x = Relu(g, Linear(g, "classifier.0", x, hidden));
  x = Relu(g, Linear(g, "classifier.3", x, hidden));
  return Linear(g, "classifier.6", x, classes);
}

ValueId Head(GraphBuilder& g, const Settings& settings, ValueId x) {
  const int64_t classes = settings.Int("classes");
  if (settings.Is("head", "cifar")) {
    return Linear(g, "classifier", PoolAll(g, x), classes);
  }
  if (settings.Is("head", "dense")) {
    return DenseLayers(g, PoolAll(g, x), g.shape(x).at(1), classes);
  }
  constexpr int64_t kHidden = 4096;
  return DenseLayers(g, Flatten(g, x), kHidden, classes);
}

void BuildVgg(GraphBuilder& g, const Settings& settings, const Stages& stages) {
  ValueId x = ImageInput(g, settings.Is("head", "imagenet") ? 224 : 32);
  Features features(g, settings);
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    const int64_t channels =
        kChannels[stage] * settings.Int("width") / settings.Int("divide");
    for (int c = 0; c < stages[stage]; ++c) x = features.Conv(x, channels);
    x = features.Pool(x);
  }
  g.Output(Head(g, settings, x), "output");
}

// Only the head for images of 224 pixels sees several pixels of each channel.
const char* HeadOf(const Clues& clues) {
  if (clues.Has("classifier.weight")) return "cifar";
  const int64_t hidden = clues.Size("classifier.0.weight", 0);
  return clues.Size("classifier.0.weight", 1) == hidden ? "dense" : "imagenet";
}

Findings FitVgg(const Clues& clues) {
  const std::string head = HeadOf(clues);
  // The second layer is a norm if its weight is a vector.
  const bool norm = clues.Size("features.1.weight", 0) > 0;
  const bool batch = clues.Has("features.1.running_mean");
  const int64_t channels =
      std::max<int64_t>(clues.Size("features.0.weight", 0), 1);
  Findings findings = {
      {"head", head},
      {"classes",
       clues.Size(head == "cifar" ? "classifier.weight" : "classifier.6.weight",
                  0)},
      {"width", std::max<int64_t>(channels / kChannels[0], 1)},
      {"divide", std::max<int64_t>(kChannels[0] / channels, 1)}};
  if (batch || !norm) findings.emplace_back("norm", batch ? "batch" : "none");
  return findings;
}

std::vector<Findings> ChoicesOfVgg(const Clues& clues) {
  return NormChoices(clues, "features.1", clues.Size("features.0.weight", 0));
}

ZooEntry Entry(const std::string& layers) {
  return {"vgg" + layers,
          "VGG with " + layers + " layers, as in torchvision",
          {Norm({"none", "batch", "layer", "instance", "group"}), NormGroups(),
           Choice("head", {"imagenet", "cifar", "dense"},
                  "three dense layers for images of 224 pixels; for 32: "
                  "pooling and one, or three as wide as the last stage"),
           Classes(1000),
           Number("width", 1, 1, 32, "multiplies the number of channels"),
           Number("divide", 1, 1, 64, "divides it")}};
}

Architecture Vgg(const std::string& layers, const Stages& stages) {
  return {.entry = Entry(layers),
          .build =
              [stages](GraphBuilder& g, const Settings& settings) {
                BuildVgg(g, settings, stages);
              },
          .fit = FitVgg,
          .choices = ChoicesOfVgg};
}

}  // namespace

std::vector<Architecture> VggArchitectures() {
  return {Vgg("11", {1, 1, 2, 2, 2}), Vgg("13", {2, 2, 2, 2, 2}),
          Vgg("16", {2, 2, 3, 3, 3}), Vgg("19", {2, 2, 4, 4, 4})};
}

}  // namespace rebasin::zoo
