// DenseNet (Huang et al., 2016), as torchvision builds and names it.

#include "zoo/architecture.h"
#include "zoo/layers.h"

namespace rebasin::zoo {
namespace {

constexpr int64_t kGrowth = 32;     // channels that each layer adds
constexpr int64_t kBottleneck = 4;  // times the growth
constexpr int64_t kFirstChannels = 64;

using Blocks = std::vector<int>;  // the layers of each dense block

ValueId NormRelu(GraphBuilder& g, const std::string& name, ValueId x) {
  return Relu(g, BatchNorm2d(g, name, x));
}

ValueId DenseLayer(GraphBuilder& g, const std::string& name, ValueId x) {
  const ValueId narrow =
      Conv2d(g, name + ".conv1", NormRelu(g, name + ".norm1", x),
             kBottleneck * kGrowth, {.kernel = 1});
  return Conv2d(g, name + ".conv2", NormRelu(g, name + ".norm2", narrow),
                kGrowth);
}

// Every layer has the outputs of all earlier layers as input.
ValueId DenseBlock(GraphBuilder& g, const std::string& name, ValueId x,
                   int layers) {
  std::vector<ValueId> made = {x};
  for (int layer = 1; layer <= layers; ++layer) {
    const ValueId seen = layer == 1 ? x : Concat(g, made, 1);
    made.push_back(
        DenseLayer(g, name + ".denselayer" + std::to_string(layer), seen));
  }
  return Concat(g, made, 1);
}

ValueId Transition(GraphBuilder& g, const std::string& name, ValueId x) {
  x = NormRelu(g, name + ".norm", x);
  x = Conv2d(g, name + ".conv", x, g.shape(x).at(1) / 2, {.kernel = 1});
  return AveragePool2d(g, x, 2);
}

void BuildDenseNet(GraphBuilder& g, const Settings& settings,
                   const Blocks& blocks) {
  ValueId x = ImageInput(g, settings.Int("image"));
  x = Conv2d(g, "features.conv0", x, kFirstChannels,
             {.kernel = 7, .stride = 2});
  x = MaxPool2d(g, NormRelu(g, "features.norm0", x), 3, 2, 1);
  for (size_t b = 0; b < blocks.size(); ++b) {
    const std::string number = std::to_string(b + 1);
    if (b > 0) {
      x = Transition(g, "features.transition" + std::to_string(b), x);
    }
    x = DenseBlock(g, "features.denseblock" + number, x, blocks[b]);
  }
  x = PoolAll(g, NormRelu(g, "features.norm5", x));
  g.Output(Linear(g, "classifier", x, settings.Int("classes")), "output");
}

Findings FitDenseNet(const Clues& clues) {
  // Other networks have a classifier of this name too.
  return {{"classes", clues.Has("features.norm0.weight")
                          ? clues.Size("classifier.weight", 0)
                          : int64_t{0}}};
}

Architecture DenseNet(const std::string& layers, const Blocks& blocks) {
  return {.entry = {"densenet" + layers,
                    "DenseNet with " + layers + " layers, as in torchvision",
                    {Classes(1000), Image(224)}},
          .build =
              [blocks](GraphBuilder& g, const Settings& settings) {
                BuildDenseNet(g, settings, blocks);
              },
          .fit = FitDenseNet};
}

}  // namespace

std::vector<Architecture> DenseNetArchitectures() {
  return {DenseNet("121", {6, 12, 24, 16}), DenseNet("169", {6, 12, 32, 32}),
          DenseNet("201", {6, 12, 48, 32})};
}

}  // namespace rebasin::zoo
