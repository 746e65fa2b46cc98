#include "repair/depth_order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "graph/flow.h"

namespace rebasin {
namespace {

constexpr int kNever = std::numeric_limits<int>::max();

// The largest depth of the node's outputs.
int DepthOf(const Flow& flow, const Node& node) {
  int depth = 0;
  for (ValueId output : node.outputs) {
    if (output != kNoValue) depth = std::max(depth, flow.Depth(output));
  }
  return depth;
}

bool UsesWeightsOnly(const Flow& flow, const Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId o) {
    return o == kNoValue || flow.DependsOnWeightsOnly(o);
  });
}

// For each node the depth at which it runs. Walks backwards, so that users come
// before what they use.
std::vector<int> RunDepths(const Graph& graph, const Flow& flow) {
  const std::vector<Node>& nodes = graph.nodes();
  std::vector<int> wanted(graph.values().size(), kNever);
  std::vector<int> depths(nodes.size());
  for (size_t n = nodes.size(); n-- > 0;) {
    const Node& node = nodes[n];
    depths[n] = DepthOf(flow, node);
    if (UsesWeightsOnly(flow, node)) {
      int first_use = kNever;
      for (ValueId output : node.outputs) {
        if (output != kNoValue) first_use = std::min(first_use, wanted[output]);
      }
      depths[n] = first_use;
    }
    for (ValueId input : node.inputs) {
      if (input != kNoValue) wanted[input] = std::min(wanted[input], depths[n]);
    }
  }
  return depths;
}

}  // namespace

Graph InOrderOfDepth(const Graph& graph) {
  const std::vector<int> depths = RunDepths(graph, Flow(graph));
  std::vector<size_t> order(graph.nodes().size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t x, size_t y) { return depths[x] < depths[y]; });
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (size_t n : order) nodes.push_back(graph.nodes()[n]);
  return Graph(graph.values(), std::move(nodes), graph.outputs());
}

}  // namespace rebasin
