#include "rebasin/graph.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <string>
#include <utility>

#include "base/checked.h"
#include "graph/operator.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

Error BadGraph(const std::string& message) {
  return Error(ErrorCode::kBadInput, "graph: " + message);
}

// The index of the node that produces each value, or -1.
std::vector<int> Producers(const std::vector<Value>& values,
                           const std::vector<Node>& nodes) {
  std::vector<int> producers(values.size(), -1);
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (ValueId id : nodes[n].outputs) {
      if (id == kNoValue) continue;
      if (id < 0 || static_cast<size_t>(id) >= values.size()) {
        throw BadGraph(NodeText(nodes[n]) +
                       " produces a value that does not exist");
      }
      const bool twice = producers[id] >= 0;
      if (twice || values[id].role != Role::kComputed) {
        throw BadGraph("value " + Quoted(values[id].name) +
                       " is produced twice");
      }
      producers[id] = static_cast<int>(n);
    }
  }
  return producers;
}

void CheckUse(const std::vector<Value>& values,
              const std::vector<int>& producers, ValueId id,
              const std::string& user) {
  if (id < 0 || static_cast<size_t>(id) >= values.size()) {
    throw BadGraph(user + " uses a value that does not exist");
  }
  if (values[id].role == Role::kComputed && producers[id] < 0) {
    throw BadGraph(user + " uses " + Quoted(values[id].name) +
                   ", which no node produces");
  }
}

// Shape and symmetry rules only handle the inputs that an operator has.
void CheckInputs(const Node& node) {
  const Operator* op = FindOperator(node.op);
  if (op == nullptr) return;
  for (size_t i = op->most_inputs; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNoValue) continue;
    throw BadGraph(NodeText(node) + " has input " + std::to_string(i + 1) +
                   ", but the operator takes at most " +
                   std::to_string(op->most_inputs));
  }
}

// For each node, the number of its inputs that other nodes produce, and the
// nodes that use its outputs.
struct Dependencies {
  std::vector<int> waiting_for;
  std::vector<std::vector<int>> users;
};

Dependencies FindDependencies(const std::vector<Value>& values,
                              const std::vector<Node>& nodes,
                              const std::vector<int>& producers) {
  Dependencies result{std::vector<int>(nodes.size(), 0),
                      std::vector<std::vector<int>>(nodes.size())};
  for (size_t n = 0; n < nodes.size(); ++n) {
    const auto wait_for = [&](ValueId id) {
      CheckUse(values, producers, id, NodeText(nodes[n]));
      if (producers[id] < 0) return;
      ++result.waiting_for[n];
      result.users[producers[id]].push_back(static_cast<int>(n));
    };
    for (ValueId id : nodes[n].inputs) {
      if (id != kNoValue) wait_for(id);
    }
    for (const Guard& guard : nodes[n].guards) wait_for(guard.condition);
  }
  return result;
}

// Kahn's algorithm, the earliest ready node first.
std::vector<Node> TopologicalOrder(std::vector<Node> nodes,
                                   Dependencies dependencies) {
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (dependencies.waiting_for[n] == 0) ready.push(static_cast<int>(n));
  }
  std::vector<int> order;
  order.reserve(nodes.size());
  while (!ready.empty()) {
    const int n = ready.top();
    ready.pop();
    for (int user : dependencies.users[n]) {
      if (--dependencies.waiting_for[user] == 0) ready.push(user);
    }
    order.push_back(n);
  }
  if (order.size() < nodes.size()) {
    const auto stuck =
        std::find_if(dependencies.waiting_for.begin(),
                     dependencies.waiting_for.end(), [](int w) { return w; });
    throw BadGraph(NodeText(nodes[stuck - dependencies.waiting_for.begin()]) +
                   " depends on its own output");
  }
  // Nearly all files are sorted already.
  if (std::is_sorted(order.begin(), order.end())) return nodes;
  std::vector<Node> sorted;
  sorted.reserve(nodes.size());
  for (int n : order) sorted.push_back(std::move(nodes[n]));
  return sorted;
}

}  // namespace

int64_t Array::size() const {
  return elements ? static_cast<int64_t>(elements->size()) : 0;
}

Array MakeArray(Kind kind, Shape shape, std::vector<double> values) {
  assert(CheckedProduct(shape) == static_cast<int64_t>(values.size()));
  return {kind, std::move(shape),
          std::make_shared<const std::vector<double>>(std::move(values))};
}

Graph::Graph(std::vector<Value> values, std::vector<Node> nodes,
             std::vector<ValueId> outputs)
    : values_(std::move(values)), outputs_(std::move(outputs)) {
  for (const Node& node : nodes) CheckInputs(node);
  const std::vector<int> producers = Producers(values_, nodes);
  for (ValueId id : outputs_) CheckUse(values_, producers, id, "the output");
  Dependencies dependencies = FindDependencies(values_, nodes, producers);
  nodes_ = TopologicalOrder(std::move(nodes), std::move(dependencies));
  for (size_t id = 0; id < values_.size(); ++id) {
    const Value& value = values_[id];
    if (value.role == Role::kInput) inputs_.push_back(id);
    if (value.role != Role::kWeight) continue;
    weights_.push_back(id);
    if (!weight_names_.emplace(value.name, id).second) {
      throw BadGraph("two weights are named " + Quoted(value.name));
    }
  }
}

ValueId Graph::FindWeight(std::string_view name) const {
  const auto found = weight_names_.find(name);
  return found == weight_names_.end() ? kNoValue : found->second;
}

std::string NodeText(const Node& node) {
  const std::string op = Printable(node.op, 60);
  return node.name.empty() ? op : op + " " + Quoted(node.name);
}

}  // namespace rebasin
