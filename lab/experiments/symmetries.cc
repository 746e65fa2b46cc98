// Table 1: the number of weight settings that compute the same function.

#include <cmath>

#include "base/text.h"
#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/verdicts.h"

namespace rebasin::lab {
namespace {

// The paper counts floor(log10 n!) for each layer except the last, as if each
// had its own permutation; layers on shortcuts are not counted.
double PaperCount(const Graph& graph) {
  double sum = 0;
  for (const Node& node : graph.nodes()) {
    if (node.op != "Conv" && node.op != "Gemm") continue;
    if (node.outputs[0] == graph.outputs()[0]) continue;
    const Value& weight = graph.values()[node.inputs[1]];
    if (weight.name.find("downsample") != std::string::npos) continue;
    const auto n = static_cast<double>(weight.shape[0]);
    sum += std::floor(std::lgamma(n + 1) / std::log(10.0));
  }
  return sum;
}

struct Row {
  const char* name;
  const char* model;
  double claimed;  // 0: not in the paper
};

constexpr Row kRows[] = {
    {"MLP, 3 hidden layers of 512", "mlp:depth=3,width=512", 3498},
    {"VGG16", "vgg16:head=imagenet", 35160},
    {"ResNet50", "resnet50", 55109},
    {"ResNet20", "resnet20", 0},
    {"ResNet20, 32 times as wide", "resnet20:width=32", 0},
    {"DenseNet121", "densenet121", 0},
    {"MobileNetV2", "mobilenetv2", 0},
    {"ViT-B/16", "vit", 0},
    {"GPT-2", "gpt2", 0},
};

}  // namespace

Document RunSymmetries(Lab& lab) {
  Document document{
      .title = "Symmetries",
      .question =
          "How many settings of a network's weights compute the same function, "
          "only because hidden units can change places?"};
  DataTable table{
      .name = "symmetries",
      .caption = "Powers of ten. The universe has some 10^82 atoms.",
      .columns = {"network", "groups", "settings: 10 to the power",
                  "counted as in the paper", "paper's Table 1"}};
  std::vector<Compared> as_counted, true_orders;
  for (const Row& row : kRows) {
    lab.ReportProgress(row.name);
    const auto symmetry = lab.SymmetryOf(row.model);
    const double order = symmetry->Log10Order();
    const double counted = PaperCount(*lab.GraphOf(row.model));
    const auto groups = static_cast<double>(symmetry->groups().size());
    table.rows.push_back(
        {row.name,
         {Number(groups), groups},
         {Fixed(order, 1), order},
         row.claimed > 0 ? Cell(Fixed(counted, 0), counted) : Cell(""),
         row.claimed > 0 ? Cell(Fixed(row.claimed, 0), row.claimed)
                         : Cell("")});
    if (row.claimed > 0) {
      as_counted.push_back({row.name, row.claimed, counted});
      true_orders.push_back({row.name, row.claimed, order});
    }
  }
  document.claims = {
      Agrees("Table 1, counted as the paper counts: the logarithms of n! of "
             "each layer, rounded down.",
             as_counted, 0.5),
      Agrees("Table 1, taken as the true number (within 10).", true_orders,
             10)};
  document.blocks = {
      Paragraph{"Groups were found in the networks' graphs. Where residual "
                "connections add the outputs of layers, these must keep one "
                "order, so that layers do not have permutations of their own: "
                "the true number for ResNet50 is far smaller than the one in "
                "the paper."},
      table};
  return document;
}

}  // namespace rebasin::lab
