// Finds the repair sites of a graph.

#include <algorithm>

#include "graph/operator.h"
#include "rebasin/repair.h"
#include "repair/layer_site.h"
#include "repair/operand.h"

namespace rebasin {
namespace {

std::optional<RepairSite> SiteOf(const GraphView& view, const Node& node) {
  if (HasStatistics(node)) return BatchNormOutput(view, node);
  auto site = LayerSite(view, node);
  // The norm would undo any change made before it.
  if (site && OnlyBatchNorm(view, site->value)) return std::nullopt;
  return site;
}

std::optional<BatchNormSite> StatisticsOf(const GraphView& view,
                                          const Node& node) {
  if (!HasStatistics(node)) return std::nullopt;
  const auto mean =
      OwnWeight(view.graph, view.flow, view.inference, node.inputs[3], 0);
  const auto variance =
      OwnWeight(view.graph, view.flow, view.inference, node.inputs[4], 0);
  if (!mean || !variance || !view.Known(node.inputs[3])) return std::nullopt;
  return BatchNormSite{.input = node.inputs[0],
                       .output = node.outputs[0],
                       .channels = view.ShapeOf(node.inputs[3])[0],
                       .mean = mean->weight,
                       .variance = variance->weight};
}

}  // namespace

std::vector<RepairSite> RepairSites(const Graph& graph) {
  const Study study(graph);
  std::vector<RepairSite> sites;
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    auto site = SiteOf(study.view, graph.nodes()[n]);
    if (!site) continue;
    site->node = n;
    site->depth = study.flow.Depth(site->value);
    site->is_output = study.flow.ReachesOutput(site->value);
    sites.push_back(std::move(*site));
  }
  return sites;
}

std::vector<BatchNormSite> BatchNormSites(const Graph& graph) {
  const Study study(graph);
  std::vector<BatchNormSite> sites;
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    auto site = StatisticsOf(study.view, graph.nodes()[n]);
    if (!site) continue;
    site->node = n;
    sites.push_back(std::move(*site));
  }
  return sites;
}

bool HasBatchNorm(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), HasStatistics);
}

}  // namespace rebasin
