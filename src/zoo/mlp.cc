// Dense layers, in a chain and as residual blocks.

#include "zoo/architecture.h"
#include "zoo/layers.h"

namespace rebasin::zoo {
namespace {

// fc1, fc2, ... or indices in a Sequential, which include activations.
std::string LayerName(const std::string& names, int64_t layer) {
  return names == "fc" ? "fc" + std::to_string(layer + 1)
                       : std::to_string(2 * layer);
}

void BuildMlp(GraphBuilder& g, const Settings& settings) {
  ValueId x = g.Input("input", {kOpenSize, settings.Int("in")}, Kind::kFloat,
                      {"batch"});
  const std::string& names = settings.Text("names");
  const int64_t hidden = settings.Int("depth");
  const bool bias = settings.Text("bias") == "true";
  for (int64_t layer = 0; layer < hidden; ++layer) {
    x = Relu(
        g, Linear(g, LayerName(names, layer), x, settings.Int("width"), bias));
  }
  g.Output(Linear(g, LayerName(names, hidden), x, settings.Int("out"), bias),
           "output");
}

Findings FitMlp(const Clues& clues) {
  const std::string names = clues.Has("fc1.weight") ? "fc" : "seq";
  const int64_t layers = names == "fc" ? clues.Count("fc", ".weight", 1)
                                       : clues.Count("", ".weight", 0, 2);
  const std::string first = LayerName(names, 0) + ".weight";
  const std::string last = LayerName(names, layers - 1) + ".weight";
  Findings findings = {{"depth", layers - 1},
                       {"width", clues.Size(first, 0)},
                       {"in", clues.Size(first, 1)},
                       {"out", clues.Size(last, 0)},
                       {"names", names}};
  if (!clues.Has(LayerName(names, 0) + ".bias")) {
    findings.emplace_back("bias", "false");
  }
  return findings;
}

std::string BlockName(int64_t block) {
  return "blocks." + std::to_string(block);
}

// An embedding, blocks x + W2 relu(W1 x), and a head.
void BuildResidualMlp(GraphBuilder& g, const Settings& settings) {
  ValueId x = g.Input("input", {kOpenSize, settings.Int("in")}, Kind::kFloat,
                      {"batch"});
  x = Linear(g, "embed", x, settings.Int("width"));
  for (int64_t block = 0; block < settings.Int("depth"); ++block) {
    const std::string name = BlockName(block);
    const ValueId hidden =
        Relu(g, Linear(g, name + ".fc1", x, settings.Int("hidden")));
    x = Plus(g, x, Linear(g, name + ".fc2", hidden, settings.Int("width")));
  }
  g.Output(Linear(g, "head", x, settings.Int("out")), "output");
}

Findings FitResidualMlp(const Clues& clues) {
  return {{"depth", clues.Count("blocks.", ".fc1.weight")},
          {"width", clues.Size("embed.weight", 0)},
          {"hidden", clues.Size("blocks.0.fc1.weight", 0)},
          {"in", clues.Size("embed.weight", 1)},
          {"out", clues.Size("head.weight", 0)}};
}

}  // namespace

std::vector<Architecture> MlpArchitectures() {
  return {{.entry = {"mlp",
                     "dense layers of one width with ReLU between them",
                     {Number("depth", 3, 1, 1000, "hidden layers"),
                      Number("width", 512, 1, 1000000, "hidden units"),
                      Number("in", 784, 1, 10000000, "inputs"),
                      Number("out", 10, 1, 10000000, "outputs"),
                      Choice("names", {"fc", "seq"},
                             "fc1, fc2, ... or 0, 2, ... as in a Sequential"),
                      Choice("bias", {"true", "false"},
                             "whether layers have a bias")}},
           .build = BuildMlp,
           .fit = FitMlp},
          {.entry = {"residual_mlp",
                     "dense layers in residual blocks x + W2 relu(W1 x)",
                     {Number("depth", 3, 1, 1000, "blocks"),
                      Number("width", 512, 1, 1000000, "units between blocks"),
                      Number("hidden", 512, 1, 1000000, "units in a block"),
                      Number("in", 784, 1, 10000000, "inputs"),
                      Number("out", 10, 1, 10000000, "outputs")}},
           .build = BuildResidualMlp,
           .fit = FitResidualMlp}};
}

}  // namespace rebasin::zoo
