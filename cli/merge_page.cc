// The report page of a merge: the agreement of the models before and after,
// layer by layer, the units that moved, and the axes that are fixed with the
// reasons.

#include "cli/merge_page.h"

#include "base/text.h"
#include "cli/match_report.h"
#include "cli/page.h"
#include "lab/blocks.h"

namespace rebasin::cli {
namespace {

using lab::NumberCell;

struct LayerSimilarity {
  std::string name;
  double before = 0, after = 0;
};

std::vector<LayerSimilarity> LayersOf(const MatchReport& report) {
  std::vector<LayerSimilarity> layers;
  for (const TensorMatch& tensor : report.tensors) {
    layers.push_back({tensor.name,
                      Cosine(tensor.dot_before, tensor.norm_a, tensor.norm_b),
                      Cosine(tensor.dot_after, tensor.norm_a, tensor.norm_b)});
  }
  return layers;
}

Plot LayerPlot(const std::vector<LayerSimilarity>& layers) {
  Series before{.name = "not aligned"}, after{.name = "aligned"};
  for (size_t i = 0; i < layers.size(); ++i) {
    for (Series* series : {&before, &after}) {
      series->x.push_back(static_cast<double>(i + 1));
    }
    before.y.push_back(layers[i].before);
    after.y.push_back(layers[i].after);
  }
  return {.name = "similarity",
          .caption =
              "The cosine between the weights of both models, tensor by "
              "tensor in the order of the table below.",
          .figure = {.title = "How alike the models are",
                     .panels = {{.x_label = "tensor",
                                 .y_label = "cosine similarity",
                                 .series = {before, after}}}}};
}

DataTable LayerTable(const std::vector<LayerSimilarity>& layers) {
  DataTable table{.name = "tensors",
                  .caption = "Cosine similarity of A and B",
                  .columns = {"number", "tensor", "not aligned", "aligned"}};
  for (size_t i = 0; i < layers.size(); ++i) {
    table.rows.push_back({NumberCell(static_cast<double>(i + 1)),
                          layers[i].name, NumberCell(layers[i].before, 3),
                          NumberCell(layers[i].after, 3)});
  }
  return table;
}

DataTable GroupTable(const MergePage& page) {
  DataTable table{.name = "groups",
                  .caption = "Groups of interchangeable units",
                  .columns = {"group", "units", "moved"}};
  const Symmetry& symmetry = *page.structure->symmetry;
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    const int group = static_cast<int>(g);
    const int64_t units = symmetry.groups()[g].size * symmetry.Copies(group);
    table.rows.push_back(
        {symmetry.groups()[g].name, NumberCell(static_cast<double>(units), 9),
         NumberCell(static_cast<double>(page.alignment->UnitsMoved(group)),
                    9)});
  }
  return table;
}

DataTable FixedTable(const Discovery& discovery) {
  DataTable table{.name = "fixed",
                  .caption = "Fixed axes, and why",
                  .columns = {"weight", "axis", "indices", "reason"}};
  for (const FixedAxis& fixed : discovery.fixed) {
    table.rows.push_back(
        {fixed.weight, NumberCell(fixed.axis),
         NumberCell(static_cast<double>(fixed.indices), 9),
         fixed.reason + (fixed.cause.empty() ? "" : ": " + fixed.cause)});
  }
  return table;
}

}  // namespace

void WriteMergePage(const MergePage& page, const std::string& path,
                    const Context& context) {
  Document document{.title = "A merge: " + page.title,
                    .question = "What was merged, and what had to change?"};
  if (!page.text.empty()) document.blocks.push_back(Listing{page.text});
  if (page.report != nullptr) {
    const std::vector<LayerSimilarity> layers = LayersOf(*page.report);
    if (!layers.empty()) document.blocks.push_back(LayerPlot(layers));
    document.blocks.push_back(LayerTable(layers));
  }
  if (page.alignment != nullptr) document.blocks.push_back(GroupTable(page));
  if (page.structure->discovery != nullptr) {
    document.blocks.push_back(FixedTable(*page.structure->discovery));
  }
  WritePage(std::move(document), path, context);
}

}  // namespace rebasin::cli
