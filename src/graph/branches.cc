#include "graph/branches.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "graph/inference.h"
#include "graph/operator.h"
#include "graph/size_dependence.h"

namespace rebasin {
namespace {

bool HasBranches(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return node.op == "If"; });
}

bool HasOpenSizes(const Graph& graph) {
  return std::any_of(
      graph.inputs().begin(), graph.inputs().end(), [&](ValueId id) {
        const Shape& shape = graph.values()[id].shape;
        return std::count(shape.begin(), shape.end(), kOpenSize) > 0;
      });
}

// The graph at up to three choices of larger open sizes. The choices are far
// apart, since strides hide small changes.
std::vector<Inference> InferLarger(const Graph& graph,
                                   const std::vector<Shape>& shapes) {
  constexpr size_t kEnough = 3;
  std::vector<Inference> found;
  for (const int64_t more :
       {65536, 8192, 1024, 512, 256, 224, 128, 64, 32, 16, 8, 4, 2, 1}) {
    std::vector<Shape> larger = shapes;
    for (size_t i = 0; i < larger.size(); ++i) {
      const Shape& stated = graph.values()[graph.inputs()[i]].shape;
      for (size_t k = 0; k < stated.size(); ++k) {
        if (stated[k] == kOpenSize) larger[i][k] += more;
      }
    }
    if (auto inference = TryInfer(graph, larger)) {
      found.push_back(std::move(*inference));
    }
    if (found.size() == kEnough) break;
  }
  return found;
}

// The conditions whose values do not depend on the open sizes.
class KnownConditions {
 public:
  // The first inference is at the usual sizes, the others at larger ones.
  KnownConditions(const Graph& graph, const std::vector<Inference>& inferences,
                  bool any_open)
      : constants_(inferences[0].constants),
        sizes_(graph, inferences),
        comparable_(!any_open || inferences.size() > 1) {}

  // The value of a condition; nothing if it is unknown or depends on open
  // sizes.
  std::optional<bool> Value(ValueId id) const {
    const MaybeArray& array = constants_[id];
    if (!comparable_ || !array || array->size() != 1) return std::nullopt;
    if (sizes_.ElementDepends(id, 0)) return std::nullopt;
    return array->values()[0] != 0;
  }

 private:
  const std::vector<MaybeArray>& constants_;
  SizeDependence sizes_;
  bool comparable_;
};

// The nodes that may run, without guards whose conditions are known.
std::vector<Node> ReachableNodes(const Graph& graph,
                                 const KnownConditions& conditions) {
  std::vector<Node> reachable;
  for (Node node : graph.nodes()) {
    const bool dead = std::any_of(
        node.guards.begin(), node.guards.end(), [&](const Guard& guard) {
          return conditions.Value(guard.condition) == !guard.when;
        });
    if (dead) continue;
    std::erase_if(node.guards, [&](const Guard& guard) {
      return conditions.Value(guard.condition).has_value();
    });
    const size_t count = node.outputs.size();
    const bool is_if = node.op == "If" && node.inputs.size() == 1 + 2 * count;
    const auto taken = is_if ? conditions.Value(node.inputs[0]) : std::nullopt;
    if (!taken) {
      reachable.push_back(std::move(node));
      continue;
    }
    for (size_t o = 0; o < count; ++o) {
      if (node.outputs[o] == kNoValue) continue;
      reachable.push_back(
          {.op = "Identity",
           .name = node.name,
           .inputs = {node.inputs[1 + o + (*taken ? 0 : count)]},
           .outputs = {node.outputs[o]},
           .attributes = {},
           .guards = node.guards});
    }
  }
  return reachable;
}

// Removes one level of branches. Its results may determine further conditions.
std::optional<Graph> WithFewerBranches(const Graph& graph) {
  const std::vector<Shape> shapes = DefaultInputShapes(graph);
  std::vector<Inference> inferences = {Infer(graph, shapes)};
  const bool open = HasOpenSizes(graph);
  if (open) {
    for (Inference& larger : InferLarger(graph, shapes)) {
      inferences.push_back(std::move(larger));
    }
  }
  const KnownConditions conditions(graph, inferences, open);
  std::vector<Node> reachable = ReachableNodes(graph, conditions);
  const auto branches = [](const std::vector<Node>& nodes) {
    return std::count_if(nodes.begin(), nodes.end(),
                         [](const Node& node) { return node.op == "If"; });
  };
  if (branches(reachable) == branches(graph.nodes())) return std::nullopt;
  return Graph(graph.values(), std::move(reachable), graph.outputs());
}

}  // namespace

Graph WithoutDeadBranches(Graph graph) {
  // Each pass removes one level of nested Ifs. Large graphs get fewer passes.
  constexpr size_t kMaxPasses = 32;
  constexpr size_t kMaxVisits = 1'000'000;
  const size_t passes = std::clamp<size_t>(
      kMaxVisits / (graph.nodes().size() + 1), 1, kMaxPasses);
  for (size_t pass = 0; pass < passes && HasBranches(graph); ++pass) {
    try {
      auto fewer = WithFewerBranches(graph);
      if (!fewer) return graph;
      graph = std::move(*fewer);
      // The caller that needs these shapes will report the error.
    } catch (const Error&) {
      return graph;
    }
  }
  return graph;
}

namespace {

// Whether a condition depends on the values of inputs and on no weight.
// Conditions that depend on activations are left to the run.
std::vector<bool> FindDecidedByInputs(const Graph& graph) {
  const size_t count = graph.values().size();
  std::vector<bool> inputs(count, false), weights(count, false);
  for (size_t id = 0; id < count; ++id) {
    inputs[id] = graph.values()[id].role == Role::kInput;
    weights[id] = graph.values()[id].role == Role::kWeight;
  }
  for (const Node& node : graph.nodes()) {
    if (Is(node, OperatorClass::kShapeOnly)) continue;
    for (ValueId out : node.outputs) {
      for (ValueId in : node.inputs) {
        if (out == kNoValue || in == kNoValue) continue;
        inputs[out] = inputs[out] || inputs[in];
        weights[out] = weights[out] || weights[in];
      }
    }
  }
  for (size_t id = 0; id < count; ++id) {
    inputs[id] = inputs[id] && !weights[id];
  }
  return inputs;
}

// Whether all guards whose condition is in `choice` hold.
bool Permits(const BranchChoice& choice, const std::vector<Guard>& guards) {
  return std::all_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    const auto chosen = choice.find(guard.condition);
    return chosen == choice.end() || chosen->second == guard.when;
  });
}

}  // namespace

std::vector<BranchChoice> CoveringBranchChoices(const Graph& graph) {
  constexpr size_t kMaxChoices = 16;
  const std::vector<bool> decided = FindDecidedByInputs(graph);
  BranchChoice all_true;
  for (const Node& node : graph.nodes()) {
    for (const Guard& guard : node.guards) {
      if (decided[guard.condition]) all_true[guard.condition] = true;
    }
  }
  std::vector<BranchChoice> choices = {all_true};
  for (const Node& node : graph.nodes()) {
    const bool taken = std::any_of(
        choices.begin(), choices.end(),
        [&](const auto& choice) { return Permits(choice, node.guards); });
    if (taken || choices.size() == kMaxChoices) continue;
    BranchChoice choice = all_true;
    for (const Guard& guard : node.guards) {
      if (decided[guard.condition]) choice[guard.condition] = guard.when;
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace rebasin
