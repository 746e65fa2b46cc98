#include "graph/pair_values.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace rebasin {
namespace {

std::vector<std::string> NamesOf(const Graph& graph,
                                 const std::vector<ValueId>& ids) {
  std::vector<std::string> names;
  for (ValueId id : ids) {
    names.push_back(graph.values()[static_cast<size_t>(id)].name);
  }
  return names;
}

bool SameNames(const std::vector<std::string>& a,
               const std::vector<std::string>& b) {
  const std::set<std::string> names(a.begin(), a.end());
  return names.size() == a.size() && a.size() == b.size() &&
         names == std::set<std::string>(b.begin(), b.end());
}

std::vector<std::string> Positions(size_t count) {
  std::vector<std::string> positions;
  for (size_t i = 0; i < count; ++i) positions.push_back(std::to_string(i));
  return positions;
}

std::vector<ValuePair> PairOutputs(const Graph& a, const Graph& b) {
  const auto names_a = NamesOf(a, a.outputs()),
             names_b = NamesOf(b, b.outputs());
  std::vector<ValuePair> pairs;
  if (!SameNames(names_a, names_b)) {
    const size_t both = std::min(names_a.size(), names_b.size());
    for (size_t o = 0; o < both; ++o) {
      pairs.push_back({a.outputs()[o], b.outputs()[o]});
    }
    return pairs;
  }
  std::map<std::string, ValueId> ids;
  for (size_t o = 0; o < names_b.size(); ++o) ids[names_b[o]] = b.outputs()[o];
  for (size_t o = 0; o < names_a.size(); ++o) {
    pairs.push_back({a.outputs()[o], ids[names_a[o]]});
  }
  return pairs;
}

}  // namespace

PairedGraphs::Side PairedGraphs::MakeSide(
    const Graph& graph, ValueNumbers& numbers,
    const std::vector<std::string>& inputs) {
  Side side{&graph, std::vector<const Node*>(graph.values().size(), nullptr),
            std::vector<ValueId>(graph.values().size()),
            numbers.Number(graph, inputs)};
  std::iota(side.sources.begin(), side.sources.end(), 0);
  for (const Node& node : graph.nodes()) {
    for (ValueId output : node.outputs) {
      if (output != kNoValue) side.makers[output] = &node;
    }
    if (ReturnsFirstInput(node) && node.outputs[0] != kNoValue) {
      side.sources[node.outputs[0]] = side.sources[node.inputs[0]];
    }
  }
  return side;
}

PairedGraphs::PairedGraphs(const Graph& a, const Graph& b,
                           ValueNumbers::LeafKey leaf_key)
    : outputs_(PairOutputs(a, b)) {
  ValueNumbers numbers(std::move(leaf_key));
  auto inputs_a = NamesOf(a, a.inputs()), inputs_b = NamesOf(b, b.inputs());
  if (!SameNames(inputs_a, inputs_b)) {
    inputs_a = Positions(inputs_a.size());
    inputs_b = Positions(inputs_b.size());
  }
  a_ = MakeSide(a, numbers, inputs_a);
  b_ = MakeSide(b, numbers, inputs_b);
  for (ValuePair& pair : outputs_) {
    pair = {a_.Source(pair.a), b_.Source(pair.b)};
  }
}

bool PairedGraphs::Same(ValuePair pair) const {
  return pair.a != kNoValue && pair.b != kNoValue &&
         a_.numbers[pair.a] == b_.numbers[pair.b];
}

// Whether two pairs are equal after swapping, and not as they are.
bool PairedGraphs::IsSwapped(const std::vector<ValuePair>& pairs) const {
  if (pairs.size() != 2 || Same(pairs[0]) || Same(pairs[1])) return false;
  return Same({pairs[0].a, pairs[1].b}) || Same({pairs[1].a, pairs[0].b});
}

std::vector<ValuePair> PairedGraphs::Inputs(const Node& a,
                                            const Node& b) const {
  std::vector<ValuePair> pairs(std::max(a.inputs.size(), b.inputs.size()));
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    pairs[i].a = a_.Source(a.inputs[i]);
  }
  for (size_t i = 0; i < b.inputs.size(); ++i) {
    pairs[i].b = b_.Source(b.inputs[i]);
  }
  if (a.op == b.op && IsCommutative(a) && IsSwapped(pairs)) {
    std::swap(pairs[0].b, pairs[1].b);
  }
  return pairs;
}

void PairedGraphs::Walk(bool into_same,
                        const std::function<void(ValuePair)>& visit) const {
  std::vector<bool> seen(a_.graph->values().size(), false);
  std::vector<ValuePair> waiting(outputs_.rbegin(), outputs_.rend());
  while (!waiting.empty()) {
    const ValuePair pair = waiting.back();
    waiting.pop_back();
    if (pair.a == kNoValue || pair.b == kNoValue || seen[pair.a] ||
        (!into_same && Same(pair))) {
      continue;
    }
    seen[pair.a] = true;
    visit(pair);
    const Node* a = ProducerOfA(pair.a);
    const Node* b = ProducerOfB(pair.b);
    if (a == nullptr || b == nullptr) continue;
    const auto inputs = Inputs(*a, *b);
    waiting.insert(waiting.end(), inputs.rbegin(), inputs.rend());
  }
}

}  // namespace rebasin
