#include "zoo/names.h"

#include <algorithm>
#include <string>
#include <vector>

#include "formats/wrappers.h"

namespace rebasin::zoo {
namespace {

const std::string& NameOf(const Graph& graph, ValueId weight) {
  return graph.values()[static_cast<size_t>(weight)].name;
}

bool AnyFits(const Graph& graph, const Checkpoint& weights,
             const std::string& prefix) {
  return std::any_of(
      graph.weights().begin(), graph.weights().end(), [&](ValueId id) {
        return weights.Find(prefix + NameOf(graph, id)) != nullptr;
      });
}

Graph WithPrefix(const Graph& graph, const std::string& prefix) {
  std::vector<Value> values = graph.values();
  for (const ValueId id : graph.weights()) {
    Value& value = values[static_cast<size_t>(id)];
    value.name = prefix + value.name;
  }
  return Graph(std::move(values), graph.nodes(), graph.outputs());
}

}  // namespace

Graph FitNames(const Graph& graph, const Checkpoint& weights) {
  std::string prefix = WrapperPrefix(weights, kAnyWrapper);
  // Tries longer prefixes first: "model.model.layers" may be a wrapped
  // "model.layers".
  while (!AnyFits(graph, weights, prefix)) {
    if (prefix.empty()) return graph;
    prefix.pop_back();
    prefix.resize(prefix.find_last_of('.') + 1);
  }
  return prefix.empty() ? graph : WithPrefix(graph, prefix);
}

}  // namespace rebasin::zoo
