#include "verify/static_part.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/operator.h"

namespace rebasin {
namespace {

// Calls the function with the values that a node reads: its inputs and the
// conditions of its guards.
template <typename Function>
void ForEachRead(const Node& node, const Function& function) {
  for (ValueId id : node.inputs) {
    if (id != kNoValue) function(id);
  }
  for (const Guard& guard : node.guards) function(guard.condition);
}

template <typename Function>
void ForEachMade(const Node& node, const Function& function) {
  for (ValueId id : node.outputs) {
    if (id != kNoValue) function(id);
  }
}

// Where the static part ends.
enum class End {
  kAtChoices,  // where boxes are chosen by their scores
  kAtUnknown,  // where shapes are unknown
};

class StaticPartFinder {
 public:
  StaticPartFinder(const Graph& graph, std::span<const Inference> traces,
                   const Symmetry& symmetry, End end)
      : graph_(graph),
        traces_(traces),
        end_(end),
        late_(graph.values().size(), false),
        moves_(graph.values().size(), false),
        is_output_(graph.values().size(), false) {
    for (const TensorSymmetry& tensor : symmetry.tensors()) {
      const ValueId id = graph.FindWeight(tensor.name);
      if (id != kNoValue && !tensor.Groups().empty()) moves_[id] = true;
    }
  }

  StaticPart Run() {
    for (const Node& node : graph_.nodes()) Follow(node);
    if (!found_unknown_) return {};
    std::vector<bool> needed(graph_.values().size(), false);
    for (ValueId id : graph_.outputs()) needed[id] = true;
    for (const Node& node : NeededNodes(needed)) {
      if (IsLate(node)) ForEachRead(node, [&](ValueId id) { AddOutput(id); });
    }
    for (ValueId id : graph_.outputs()) AddOutput(id);
    StaticPart part{
        .late_weights = late_weights_, .ends = outputs_, .is_late = late_};
    if (late_weights_.empty() && !outputs_.empty()) part.graph = Build();
    return part;
  }

 private:
  bool IsUnknown(ValueId id) const {
    return std::any_of(
        traces_.begin(), traces_.end(),
        [&](const Inference& trace) { return !trace.types[id].known; });
  }

  bool IsConstant(ValueId id) const {
    return std::all_of(traces_.begin(), traces_.end(),
                       [&](const Inference& trace) {
                         return trace.constants[id].has_value();
                       });
  }

  bool EndsAt(const Node& node) const {
    return !node.guards.empty() ||
           (end_ == End::kAtChoices && node.op == "TopK");
  }

  void Follow(const Node& node) {
    bool late = EndsAt(node), moves = false;
    ForEachRead(node, [&](ValueId id) {
      late |= late_[id];
      moves |= moves_[id];
    });
    ForEachMade(node, [&](ValueId id) {
      found_unknown_ |= IsUnknown(id);
      late |= IsUnknown(id);
    });
    ForEachMade(node, [&](ValueId id) {
      late_[id] = late;
      moves_[id] = moves && !IsConstant(id);
    });
  }

  bool IsLate(const Node& node) const {
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId id) { return id != kNoValue && late_[id]; });
  }

  void AddOutput(ValueId id) {
    if (late_[id] || !moves_[id] || is_output_[id]) return;
    is_output_[id] = true;
    const Value& value = graph_.values()[id];
    if (value.role == Role::kWeight) {
      late_weights_.insert(value.name);
    } else {
      outputs_.push_back(id);
    }
  }

  // The nodes that compute the needed values, in order. Adds to `needed` the
  // values that these nodes read.
  std::vector<Node> NeededNodes(std::vector<bool>& needed) const {
    std::vector<Node> nodes;
    for (auto node = graph_.nodes().rbegin(); node != graph_.nodes().rend();
         ++node) {
      bool use = false;
      ForEachMade(*node, [&](ValueId id) { use |= needed[id]; });
      if (!use) continue;
      ForEachRead(*node, [&](ValueId id) { needed[id] = true; });
      ForEachMade(*node, [&](ValueId id) { needed[id] = true; });
      nodes.push_back(*node);
    }
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
  }

  Graph Build() const {
    std::vector<bool> needed = is_output_;
    for (ValueId id : graph_.inputs()) needed[id] = true;
    std::vector<Node> nodes = NeededNodes(needed);
    std::vector<ValueId> now(needed.size(), kNoValue);
    std::vector<Value> values;
    for (size_t id = 0; id < needed.size(); ++id) {
      if (!needed[id]) continue;
      now[id] = static_cast<ValueId>(values.size());
      values.push_back(graph_.values()[id]);
    }
    const auto renumber = [&](std::vector<ValueId>& ids) {
      for (ValueId& id : ids) id = id == kNoValue ? kNoValue : now[id];
    };
    for (Node& node : nodes) {
      renumber(node.inputs);
      renumber(node.outputs);
    }
    std::vector<ValueId> outputs = outputs_;
    renumber(outputs);
    return Graph(std::move(values), std::move(nodes), std::move(outputs));
  }

  const Graph& graph_;
  std::span<const Inference> traces_;
  End end_;
  // By value.
  std::vector<bool> late_;   // not in the static part
  std::vector<bool> moves_;  // depends on permutable weights
  std::vector<bool> is_output_;
  std::vector<ValueId> outputs_;
  std::set<std::string> late_weights_;
  bool found_unknown_ = false;
};

}  // namespace

// Prefers to end at choices: the scores by which boxes are chosen show more
// than the boxes, which may all lie at the border of the image.
StaticPart FindStaticPart(const Graph& graph, std::span<const Inference> traces,
                          const Symmetry& symmetry) {
  StaticPart part =
      StaticPartFinder(graph, traces, symmetry, End::kAtChoices).Run();
  if (part.late_weights.empty()) return part;
  return StaticPartFinder(graph, traces, symmetry, End::kAtUnknown).Run();
}

}  // namespace rebasin
