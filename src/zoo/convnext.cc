// ConvNeXt (Liu et al., 2022), as torchvision builds and names it, and small
// ones of the same blocks for small images.

#include "zoo/architecture.h"
#include "zoo/layers.h"

namespace rebasin::zoo {
namespace {

constexpr double kEpsilon = 1e-6;

struct Plan {
  int64_t channels;             // of the first stage; doubled in each stage
  std::vector<int64_t> blocks;  // of each stage
  int64_t patch = 4;            // height and width, in pixels
};

// x + scale * MLP(norm(depthwise(x))), with the MLP at each position.
ValueId Block(GraphBuilder& g, const std::string& name, ValueId x) {
  const int64_t channels = g.shape(x).at(1);
  ValueId y = Conv2d(g, name + ".block.0", x, channels,
                     {.kernel = 7, .groups = channels, .bias = true});
  y = Transpose(g, y, {0, 2, 3, 1});
  y = LayerNorm(g, name + ".block.2", y, kEpsilon);
  y = Gelu(g, Linear(g, name + ".block.3", y, 4 * channels));
  y = Transpose(g, Linear(g, name + ".block.5", y, channels), {0, 3, 1, 2});
  g.SetScope(name);
  y = Times(g, g.Weight(name + ".layer_scale", {channels, 1, 1}), y);
  return Plus(g, x, y);
}

ValueId Patches(GraphBuilder& g, const std::string& name, ValueId x,
                int64_t channels, int64_t size) {
  return Conv2d(g, name, x, channels,
                {.kernel = size, .stride = size, .padding = 0, .bias = true});
}

// "features" alternates between downsampling layers and stages.
void BuildConvNext(GraphBuilder& g, const Settings& settings,
                   const Plan& plan) {
  ValueId x = ImageInput(g, settings.Int("image"));
  x = Patches(g, "features.0.0", x, plan.channels, plan.patch);
  x = LayerNorm2d(g, "features.0.1", x, kEpsilon);
  for (size_t stage = 0; stage < plan.blocks.size(); ++stage) {
    if (stage > 0) {
      const std::string down = "features." + std::to_string(2 * stage);
      x = LayerNorm2d(g, down + ".0", x, kEpsilon);
      x = Patches(g, down + ".1", x, plan.channels << stage, 2);
    }
    const std::string name = "features." + std::to_string(2 * stage + 1) + ".";
    for (int64_t block = 0; block < plan.blocks[stage]; ++block) {
      x = Block(g, name + std::to_string(block), x);
    }
  }
  x = LayerNorm2d(g, "classifier.0", GlobalAveragePool2d(g, x), kEpsilon);
  x = Linear(g, "classifier.2", Flatten(g, x), settings.Int("classes"));
  g.Output(x, "output");
}

Findings FitConvNext(const Clues& clues) {
  return {{"classes", clues.Size("classifier.2.weight", 0)}};
}

Architecture ConvNext(const std::string& size, const Plan& plan) {
  return {.entry = {"convnext_" + size,
                    "ConvNeXt, " + size + ", as in torchvision",
                    {Classes(1000), Image(224)}},
          .build =
              [plan](GraphBuilder& g, const Settings& settings) {
                BuildConvNext(g, settings, plan);
              },
          .fit = FitConvNext};
}

// Stages of equally many blocks.
Plan SmallPlan(const Settings& settings) {
  return {
      .channels = settings.Int("width"),
      .blocks = std::vector<int64_t>(
          static_cast<size_t>(settings.Int("stages")), settings.Int("depth")),
      .patch = settings.Int("patch")};
}

Findings FitSmall(const Clues& clues) {
  return {{"depth", clues.Count("features.1.", ".block.0.weight")},
          {"stages", clues.Count("features.", ".0.block.0.weight", 1, 2)},
          {"width", clues.Size("features.0.0.weight", 0)},
          {"patch", clues.Size("features.0.0.weight", 2)},
          {"classes", clues.Size("classifier.2.weight", 0)}};
}

Architecture SmallConvNext() {
  return {
      .entry = {"convnext",
                "stages of ConvNeXt's blocks, by default for CIFAR",
                {Number("depth", 2, 1, 100, "blocks in each stage"),
                 Number("stages", 3, 1, 6, "stages"),
                 Number("width", 64, 1, 100000, "channels of the first stage"),
                 Number("patch", 2, 1, 32, "height and width of a patch"),
                 Classes(10), Image(32)}},
      .build =
          [](GraphBuilder& g, const Settings& settings) {
            BuildConvNext(g, settings, SmallPlan(settings));
          },
      .fit = FitSmall};
}

}  // namespace

std::vector<Architecture> ConvNextArchitectures() {
  return {SmallConvNext(),
          ConvNext("tiny", {.channels = 96, .blocks = {3, 3, 9, 3}}),
          ConvNext("small", {.channels = 96, .blocks = {3, 3, 27, 3}}),
          ConvNext("base", {.channels = 128, .blocks = {3, 3, 27, 3}})};
}

}  // namespace rebasin::zoo
