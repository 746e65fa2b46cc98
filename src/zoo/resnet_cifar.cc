// The ResNets for CIFAR (He et al., 2015, section 4.2): three stages of basic
// blocks with 16, 32 and 64 channels.

#include <cstdint>

#include "zoo/architecture.h"
#include "zoo/layers.h"
#include "zoo/norms.h"

namespace rebasin::zoo {
namespace {

constexpr int64_t kChannels = 16;
constexpr int kStages = 3;

// Every second pixel, with zeros for new channels: no weights.
ValueId ShortcutA(GraphBuilder& g, ValueId x, int64_t channels) {
  const std::vector<ValueId> operands = {x, g.Ints({0, 0}),
                                         g.Ints({INT64_MAX, INT64_MAX}),
                                         g.Ints({2, 3}), g.Ints({2, 2})};
  const ValueId pixels = g.Add("Slice", operands);
  const int64_t zeros = (channels - g.shape(x).at(1)) / 2;
  return g.Add("Pad", {pixels, g.Ints({0, zeros, 0, 0, 0, zeros, 0, 0})});
}

ValueId Shortcut(GraphBuilder& g, const Settings& settings,
                 const std::string& name, ValueId x, int64_t channels) {
  g.SetScope(name);
  if (settings.Is("shortcut", "A")) return ShortcutA(g, x, channels);
  const int64_t kernel = settings.Is("shortcut", "B") ? 1 : 3;
  const ValueId conv =
      Conv2d(g, name + ".0", x, channels, {.kernel = kernel, .stride = 2});
  return Norm2d(g, settings, name + ".1", conv);
}

ValueId Block(GraphBuilder& g, const Settings& settings,
              const std::string& name, ValueId x, int64_t channels,
              int64_t stride) {
  const auto norm = [&](const char* n, ValueId v) {
    return Norm2d(g, settings, name + n, v);
  };
  ValueId y = Conv2d(g, name + ".conv1", x, channels, {.stride = stride});
  y = Relu(g, norm(".bn1", y));
  y = norm(".bn2", Conv2d(g, name + ".conv2", y, channels));
  if (stride > 1) x = Shortcut(g, settings, name + ".shortcut", x, channels);
  return Relu(g, Plus(g, y, x));
}

void BuildResNet(GraphBuilder& g, const Settings& settings, int blocks) {
  int64_t channels = kChannels * settings.Int("width");
  ValueId x = ImageInput(g, settings.Int("image"));
  x = Relu(g, Norm2d(g, settings, "bn1", Conv2d(g, "conv1", x, channels)));
  for (int stage = 0; stage < kStages; ++stage) {
    if (stage > 0) channels *= 2;
    const std::string layer = "layer" + std::to_string(stage + 1) + ".";
    for (int block = 0; block < blocks; ++block) {
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      x = Block(g, settings, layer + std::to_string(block), x, channels,
                stride);
    }
  }
  g.Output(Linear(g, "linear", PoolAll(g, x), settings.Int("classes")),
           "output");
}

const char* ShortcutOf(const Clues& clues) {
  const std::string weight = "layer2.0.shortcut.0.weight";
  if (!clues.Has(weight)) return "A";
  return clues.Size(weight, 2) == 1 ? "B" : "C";
}

Findings FitResNet(const Clues& clues) {
  Findings findings = {{"shortcut", ShortcutOf(clues)},
                       {"width", clues.Size("conv1.weight", 0) / kChannels},
                       {"classes", clues.Size("linear.weight", 0)}};
  if (clues.Has("bn1.running_mean")) findings.emplace_back("norm", "batch");
  return findings;
}

std::vector<Findings> ChoicesOfResNet(const Clues& clues) {
  return NormChoices(clues, "bn1", clues.Size("conv1.weight", 0));
}

ZooEntry Entry(const std::string& layers) {
  return {"resnet" + layers,
          "ResNet for CIFAR with " + layers + " layers",
          {Choice("shortcut", {"A", "B", "C"},
                  "where widths change: A: zeros, B: a 1x1 convolution, C: a "
                  "3x3 convolution, as in the Git Re-Basin paper"),
           Norm({"batch", "layer", "instance", "group"}), NormGroups(),
           Number("width", 1, 1, 32, "multiplies the number of channels"),
           Classes(10), Image(32)}};
}

Architecture ResNet(int layers) {
  // Two convolutions for each block, plus the first one and the dense layer.
  const int blocks = (layers - 2) / (2 * kStages);
  return {.entry = Entry(std::to_string(layers)),
          .build =
              [blocks](GraphBuilder& g, const Settings& settings) {
                BuildResNet(g, settings, blocks);
              },
          .fit = FitResNet,
          .choices = ChoicesOfResNet};
}

}  // namespace

std::vector<Architecture> CifarResNetArchitectures() {
  return {ResNet(20), ResNet(32), ResNet(44), ResNet(56), ResNet(110)};
}

}  // namespace rebasin::zoo
