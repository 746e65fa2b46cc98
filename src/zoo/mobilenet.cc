// MobileNetV2 (Sandler et al., 2018), as torchvision builds and names it,
// optionally with squeeze-and-excitation in its blocks.

#include <algorithm>

#include "zoo/architecture.h"
#include "zoo/layers.h"

namespace rebasin::zoo {
namespace {

struct Stage {
  int64_t expansion, channels;
  int blocks;
  int64_t stride;  // of the first block
};
constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                             {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                             {6, 320, 1, 1}};

// Layers "0" and "1" of `name`, and their activation.
ValueId ConvNormRelu(GraphBuilder& g, const std::string& name, ValueId x,
                     int64_t channels, const ConvOptions& options) {
  x = Conv2d(g, name + ".0", x, channels, options);
  return Relu6(g, BatchNorm2d(g, name + ".1", x));
}

// The multiple of 8 nearest to a quarter of the channels, but not much less.
int64_t SqueezedChannels(int64_t channels) {
  const int64_t quarter = channels / 4;
  const int64_t rounded = std::max<int64_t>(8, (quarter + 4) / 8 * 8);
  return 10 * rounded < 9 * quarter ? rounded + 8 : rounded;
}

ValueId SqueezeExcite(GraphBuilder& g, const std::string& name, ValueId x) {
  const int64_t channels = g.shape(x).at(1);
  const ConvOptions dense = {.kernel = 1, .bias = true};
  ValueId scale = GlobalAveragePool2d(g, x);
  scale = Relu(
      g, Conv2d(g, name + ".fc1", scale, SqueezedChannels(channels), dense));
  scale = g.Add("Sigmoid", {Conv2d(g, name + ".fc2", scale, channels, dense)});
  return Times(g, x, scale);
}

// Expand, convolve each channel separately, project.
ValueId Block(GraphBuilder& g, const std::string& name, ValueId x,
              const Stage& stage, int64_t stride, bool squeeze) {
  int next = 0;
  const auto layer = [&] { return name + ".conv." + std::to_string(next++); };
  const int64_t hidden = stage.expansion * g.shape(x).at(1);
  ValueId y = x;
  if (stage.expansion > 1) {
    y = ConvNormRelu(g, layer(), y, hidden, {.kernel = 1});
  }
  y = ConvNormRelu(g, layer(), y, hidden, {.stride = stride, .groups = hidden});
  if (squeeze) y = SqueezeExcite(g, layer(), y);
  y = Conv2d(g, layer(), y, stage.channels, {.kernel = 1});
  y = BatchNorm2d(g, layer(), y);
  return g.shape(x) == g.shape(y) ? Plus(g, x, y) : y;
}

void BuildMobileNet(GraphBuilder& g, const Settings& settings) {
  int next = 0;
  const auto layer = [&] { return "features." + std::to_string(next++); };
  ValueId x = ImageInput(g, settings.Int("image"));
  x = ConvNormRelu(g, layer(), x, 32, {.stride = 2});
  for (const Stage& stage : kStages) {
    for (int block = 0; block < stage.blocks; ++block) {
      x = Block(g, layer(), x, stage, block == 0 ? stage.stride : 1,
                settings.Is("se", "true"));
    }
  }
  x = ConvNormRelu(g, layer(), x, 1280, {.kernel = 1});
  x = Linear(g, "classifier.1", PoolAll(g, x), settings.Int("classes"));
  g.Output(x, "output");
}

Findings FitMobileNet(const Clues& clues) {
  return {{"se", clues.Has("features.2.conv.2.fc1.weight")},
          {"classes", clues.Size("classifier.1.weight", 0)}};
}

}  // namespace

std::vector<Architecture> MobileNetArchitectures() {
  return {{.entry = {"mobilenetv2",
                     "MobileNetV2, as in torchvision",
                     {Flag("se", "squeeze-and-excitation in the blocks"),
                      Classes(1000), Image(224)}},
           .build = BuildMobileNet,
           .fit = FitMobileNet}};
}

}  // namespace rebasin::zoo
