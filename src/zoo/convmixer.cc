// ConvMixer (Trockman and Kolter, 2022) with the names of its Sequential:
// patches, then alternating depth-wise and 1x1 convolutions of one size.

#include "zoo/architecture.h"
#include "zoo/layers.h"
#include "zoo/norms.h"

namespace rebasin::zoo {
namespace {

constexpr int64_t kBlocks = 3;  // index of the first block

// Entry i of the Sequential `name` is a convolution, entry i + 2 its norm.
ValueId Layer(GraphBuilder& g, const Settings& settings,
              const std::string& name, int64_t i, ValueId x,
              const ConvOptions& options) {
  const auto at = [&](int64_t position) {
    return name + std::to_string(position);
  };
  const ValueId y = Conv2d(g, at(i), x, settings.Int("width"), options);
  return Norm2d(g, settings, at(i + 2), Gelu(g, y));
}

ValueId Block(GraphBuilder& g, const Settings& settings,
              const std::string& name, ValueId x) {
  const ConvOptions depthwise = {.kernel = settings.Int("kernel"),
                                 .groups = settings.Int("width"),
                                 .bias = true};
  x = Plus(g, x, Layer(g, settings, name + ".0.fn.", 0, x, depthwise));
  return Layer(g, settings, name + ".", 1, x, {.kernel = 1, .bias = true});
}

void BuildConvMixer(GraphBuilder& g, const Settings& settings) {
  const int64_t patch = settings.Int("patch"), depth = settings.Int("depth");
  ValueId x = ImageInput(g, settings.Int("image"));
  x = Layer(g, settings, "", 0, x,
            {.kernel = patch, .stride = patch, .padding = 0, .bias = true});
  for (int64_t block = 0; block < depth; ++block) {
    x = Block(g, settings, std::to_string(kBlocks + block), x);
  }
  // Pooling and flattening have indices too.
  const std::string head = std::to_string(kBlocks + depth + 2);
  g.Output(Linear(g, head, PoolAll(g, x), settings.Int("classes")), "output");
}

Findings FitConvMixer(const Clues& clues) {
  const int64_t depth = clues.Count("", ".0.fn.0.weight", kBlocks);
  const std::string head = std::to_string(kBlocks + depth + 2);
  Findings findings = {{"depth", depth},
                       {"width", clues.Size("0.weight", 0)},
                       {"kernel", clues.Size("3.0.fn.0.weight", 2)},
                       {"patch", clues.Size("0.weight", 2)},
                       {"classes", clues.Size(head + ".weight", 0)}};
  if (clues.Has("2.running_mean")) findings.emplace_back("norm", "batch");
  return findings;
}

std::vector<Findings> ChoicesOfConvMixer(const Clues& clues) {
  return NormChoices(clues, "2", clues.Size("0.weight", 0));
}

}  // namespace

std::vector<Architecture> ConvMixerArchitectures() {
  return {{.entry = {"convmixer",
                     "ConvMixer, by default of the size for CIFAR",
                     {Number("depth", 8, 1, 1000, "blocks"),
                      Number("width", 256, 1, 100000, "channels"),
                      Choice("kernel", {"5", "3", "7", "9"},
                             "of the depth-wise convolutions"),
                      Number("patch", 2, 1, 32, "height and width of a patch"),
                      Norm({"batch", "layer", "instance", "group"}),
                      NormGroups(), Classes(10), Image(32)}},
           .build = BuildConvMixer,
           .fit = FitConvMixer,
           .choices = ChoicesOfConvMixer}};
}

}  // namespace rebasin::zoo
