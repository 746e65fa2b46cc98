// The ResNets for ImageNet, as torchvision builds and names them.

#include "zoo/architecture.h"
#include "zoo/layers.h"

namespace rebasin::zoo {
namespace {

struct Plan {
  bool bottleneck;
  std::vector<int> blocks;  // of each stage
};

ValueId ConvNorm(GraphBuilder& g, const std::string& conv,
                 const std::string& norm, ValueId x, int64_t channels,
                 const ConvOptions& options) {
  return BatchNorm2d(g, norm, Conv2d(g, conv, x, channels, options));
}

ValueId Basic(GraphBuilder& g, const std::string& name, ValueId x,
              int64_t channels, int64_t stride) {
  x = Relu(g, ConvNorm(g, name + ".conv1", name + ".bn1", x, channels,
                       {.stride = stride}));
  return ConvNorm(g, name + ".conv2", name + ".bn2", x, channels, {});
}

ValueId Bottleneck(GraphBuilder& g, const std::string& name, ValueId x,
                   int64_t channels, int64_t stride) {
  x = Relu(g, ConvNorm(g, name + ".conv1", name + ".bn1", x, channels,
                       {.kernel = 1}));
  x = Relu(g, ConvNorm(g, name + ".conv2", name + ".bn2", x, channels,
                       {.stride = stride}));
  return ConvNorm(g, name + ".conv3", name + ".bn3", x, 4 * channels,
                  {.kernel = 1});
}

ValueId Block(GraphBuilder& g, const Plan& plan, const std::string& name,
              ValueId x, int64_t channels, int64_t stride) {
  const auto inside = plan.bottleneck ? Bottleneck : Basic;
  const ValueId y = inside(g, name, x, channels, stride);
  if (g.shape(x) != g.shape(y)) {
    const std::string side = name + ".downsample";
    x = ConvNorm(g, side + ".0", side + ".1", x, g.shape(y).at(1),
                 {.kernel = 1, .stride = stride});
  }
  return Relu(g, Plus(g, y, x));
}

void BuildResNet(GraphBuilder& g, const Settings& settings, const Plan& plan) {
  ValueId x = ImageInput(g, settings.Int("image"));
  x = Relu(g, ConvNorm(g, "conv1", "bn1", x, 64, {.kernel = 7, .stride = 2}));
  x = MaxPool2d(g, x, 3, 2, 1);
  int64_t channels = 64;
  for (size_t stage = 0; stage < plan.blocks.size(); ++stage, channels *= 2) {
    const std::string layer = "layer" + std::to_string(stage + 1) + ".";
    for (int block = 0; block < plan.blocks[stage]; ++block) {
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      x = Block(g, plan, layer + std::to_string(block), x, channels, stride);
    }
  }
  g.Output(Linear(g, "fc", PoolAll(g, x), settings.Int("classes")), "output");
}

Findings FitResNet(const Clues& clues) {
  return {{"classes", clues.Size("fc.weight", 0)}};
}

Architecture ResNet(const std::string& layers, const Plan& plan) {
  return {.entry = {"resnet" + layers,
                    "ResNet for ImageNet with " + layers +
                        " layers, as in torchvision",
                    {Classes(1000), Image(224)}},
          .build =
              [plan](GraphBuilder& g, const Settings& settings) {
                BuildResNet(g, settings, plan);
              },
          .fit = FitResNet};
}

}  // namespace

std::vector<Architecture> ResNetArchitectures() {
  return {ResNet("18", {.bottleneck = false, .blocks = {2, 2, 2, 2}}),
          ResNet("34", {.bottleneck = false, .blocks = {3, 4, 6, 3}}),
          ResNet("50", {.bottleneck = true, .blocks = {3, 4, 6, 3}}),
          ResNet("101", {.bottleneck = true, .blocks = {3, 4, 23, 3}}),
          ResNet("152", {.bottleneck = true, .blocks = {3, 8, 36, 3}})};
}

}  // namespace rebasin::zoo
