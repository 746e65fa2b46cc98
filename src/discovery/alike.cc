// Finds branches that apply the same operators to different weights. Each
// search starts at a sum or a stack, and compares the branches backwards from
// their results.
#include "discovery/alike.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "graph/canonical_attributes.h"
#include "graph/flow.h"
#include "graph/same_array.h"

namespace rebasin {
namespace {

// Limit of the steps of all searches together, for each node of the graph.
constexpr int64_t kStepsPerNode = 32;

// One index of an axis of a value, as selected by Gather, Slice or Split.
struct Pick {
  ValueId data = kNoValue;
  size_t axis = 0;
  int64_t size = 0;  // of the axis
  int64_t index = 0;
};

// Maps the values of one branch to the corresponding values of another.
using Mapping = std::map<ValueId, ValueId>;

class BranchSearch {
 public:
  BranchSearch(const Graph& graph, const Inference& inference)
      : graph_(graph),
        inference_(inference),
        flow_(graph),
        taken_(graph.nodes().size(), false),
        steps_(kStepsPerNode * static_cast<int64_t>(graph.nodes().size())) {}

  AlikeLists Run() {
    for (size_t n = graph_.nodes().size(); n-- > 0;) {
      const Node& node = graph_.nodes()[n];
      if (IsSum(node)) {
        TrySum(n);
      } else if (IsStack(node)) {
        TryBranches(node.inputs, {&node}, &node);
      }
    }
    return std::move(alike_);
  }

 private:
  static bool IsSum(const Node& node) {
    return (node.op == "Add" || node.op == "Sum") && node.guards.empty() &&
           !node.outputs.empty() && node.outputs[0] != kNoValue &&
           std::find(node.inputs.begin(), node.inputs.end(), kNoValue) ==
               node.inputs.end();
  }

  // Whether the node concatenates inputs that have size 1 along its axis.
  bool IsStack(const Node& node) const {
    if (node.op != "Concat" || node.inputs.size() < 2) return false;
    if (!node.guards.empty()) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
      if (id == kNoValue) return false;
      const ValueType& type = inference_.types[id];
      const auto axis = AxisNamedBy(node, type);
      return axis && type.shape[*axis] == 1;
    });
  }

  // Collects the terms of a sum, starting at its last addition.
  void TrySum(size_t last) {
    if (taken_[last]) return;
    std::vector<ValueId> terms;
    std::set<const Node*> additions;
    std::vector<ValueId> open = {graph_.nodes()[last].outputs[0]};
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      const Node* maker = flow_.Producer(value);
      const bool inner = additions.empty() || flow_.Uses(value) == 1;
      if (maker == nullptr || !IsSum(*maker) || !inner) {
        terms.push_back(value);
        continue;
      }
      additions.insert(maker);
      taken_[NumberOf(maker)] = true;
      open.insert(open.end(), maker->inputs.rbegin(), maker->inputs.rend());
    }
    while (terms.size() > 1 && steps_ > 0) {
      const std::vector<ValueId> alike = ExtractAlike(terms);
      if (alike.size() > 1) TryBranches(alike, additions, nullptr);
    }
  }

  size_t NumberOf(const Node* node) const {
    return static_cast<size_t>(node - graph_.nodes().data());
  }

  bool IsOutput(ValueId value) const {
    return flow_.Uses(value) > static_cast<int>(flow_.Users(value).size());
  }

  // Removes the first term and all terms that are like it, and returns them.
  std::vector<ValueId> ExtractAlike(std::vector<ValueId>& terms) {
    std::vector<ValueId> alike = {terms[0]}, others;
    for (size_t t = 1; t < terms.size() && steps_ > 0; ++t) {
      const bool same = terms[t] != terms[0] && Compare(terms[0], terms[t]);
      (same ? alike : others).push_back(terms[t]);
    }
    terms = std::move(others);
    return alike;
  }

  // How branch `b` corresponds to branch `a`. Each is given by its result.
  std::optional<Mapping> Compare(ValueId a, ValueId b) {
    Mapping mapping;
    std::vector<std::pair<ValueId, ValueId>> open = {{a, b}};
    while (!open.empty()) {
      const auto [x, y] = open.back();
      open.pop_back();
      if (--steps_ < 0) return std::nullopt;
      if ((x == kNoValue) != (y == kNoValue)) return std::nullopt;
      if (x == kNoValue) continue;
      const auto [known, is_new] = mapping.emplace(x, y);
      if (!is_new && known->second != y) return std::nullopt;
      if (!is_new || x == y) continue;
      if (!AddInputs(x, y, open)) return std::nullopt;
    }
    return mapping;
  }

  // Adds the pairs that must correspond if x and y do. Returns false if x and y
  // cannot correspond.
  bool AddInputs(ValueId x, ValueId y,
                 std::vector<std::pair<ValueId, ValueId>>& open) const {
    const Value& value = graph_.values()[x];
    const Value& other = graph_.values()[y];
    if (value.role != other.role) return false;
    switch (value.role) {
      case Role::kInput:
        return false;
      case Role::kWeight:
        return value.shape == other.shape;
      case Role::kConstant:
        return SameArray(value.constant, other.constant);
      case Role::kComputed:
        break;
    }
    if (Corresponding(PickOf(x), PickOf(y))) return true;
    const Node& node = *flow_.Producer(x);
    const Node& twin = *flow_.Producer(y);
    if (&node == &twin || !SameOperator(node, twin) ||
        OutputNumber(node, x) != OutputNumber(twin, y)) {
      return false;
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      open.emplace_back(node.inputs[i], twin.inputs[i]);
    }
    return true;
  }

  static size_t OutputNumber(const Node& node, ValueId value) {
    return std::find(node.outputs.begin(), node.outputs.end(), value) -
           node.outputs.begin();
  }

  static bool SameOperator(const Node& a, const Node& b) {
    const Attributes of_a = CanonicalAttributes(a);
    const Attributes of_b = CanonicalAttributes(b);
    return a.op == b.op && a.guards == b.guards && a.body == nullptr &&
           b.body == nullptr && a.inputs.size() == b.inputs.size() &&
           a.outputs.size() == b.outputs.size() &&
           std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                      [](const auto& x, const auto& y) {
                        return x.first == y.first &&
                               SameAttribute(x.second, y.second);
                      });
  }

  static bool Corresponding(const std::optional<Pick>& a,
                            const std::optional<Pick>& b) {
    return a && b && a->data == b->data && a->axis == b->axis &&
           a->index != b->index;
  }

  std::optional<Pick> PickOf(ValueId value) const {
    const Node* node = flow_.Producer(value);
    if (node == nullptr || !node->guards.empty() || node->inputs.empty() ||
        node->inputs[0] == kNoValue) {
      return std::nullopt;
    }
    if (node->op == "Gather") return GatherPick(*node);
    if (node->op == "Slice") return SlicePick(*node);
    if (node->op == "Split") return SplitPick(*node, value);
    return std::nullopt;
  }

  std::optional<Pick> GatherPick(const Node& node) const {
    const auto index = IntsOf(node, 1);
    const auto axis = AxisNamedBy(node, inference_.types[node.inputs[0]]);
    if (!index || index->size() != 1 || !axis) return std::nullopt;
    return MakePick(node.inputs[0], *axis, (*index)[0]);
  }

  std::optional<Pick> SlicePick(const Node& node) const {
    const auto starts = IntsOf(node, 1);
    const auto ends = IntsOf(node, 2);
    const auto axes = IntsOf(node, 3);
    const auto steps = IntsOf(node, 4);
    if (!starts || starts->size() != 1 || !ends || ends->size() != 1 || !axes ||
        axes->size() != 1 || (node.inputs.size() > 4 && !steps)) {
      return std::nullopt;
    }
    const auto axis = AxisIn(inference_.types[node.inputs[0]], (*axes)[0]);
    const bool single = (*ends)[0] == (*starts)[0] + 1 && (*ends)[0] != 0;
    if (!axis || !single || (steps && *steps != std::vector<int64_t>{1})) {
      return std::nullopt;
    }
    return MakePick(node.inputs[0], *axis, (*starts)[0]);
  }

  std::optional<Pick> SplitPick(const Node& node, ValueId value) const {
    const auto axis = AxisNamedBy(node, inference_.types[node.inputs[0]]);
    for (ValueId id : node.outputs) {
      if (id == kNoValue || !axis || !inference_.types[id].known ||
          inference_.types[id].shape[*axis] != 1) {
        return std::nullopt;
      }
    }
    return MakePick(node.inputs[0], *axis,
                    static_cast<int64_t>(OutputNumber(node, value)));
  }

  std::optional<Pick> MakePick(ValueId data, size_t axis, int64_t index) const {
    const int64_t size = inference_.types[data].shape[axis];
    if (index < 0) index += size;
    if (index < 0 || index >= size) return std::nullopt;
    return Pick{.data = data, .axis = axis, .size = size, .index = index};
  }

  // The integers of an input, if its value is known.
  std::optional<std::vector<int64_t>> IntsOf(const Node& node,
                                             size_t input) const {
    if (input >= node.inputs.size() || node.inputs[input] == kNoValue) {
      return std::nullopt;
    }
    const auto& array = inference_.constants[node.inputs[input]];
    if (!array || array->kind != Kind::kInteger) return std::nullopt;
    return IntsIn(*array);
  }

  // Adds a list if the branches with these results qualify. `meeting`: the
  // nodes that combine the results; `stack`: the node that stacks them, or null
  // if they are added up.
  void TryBranches(const std::vector<ValueId>& results,
                   const std::set<const Node*>& meeting, const Node* stack) {
    if (std::set(results.begin(), results.end()).size() < results.size()) {
      return;
    }
    std::vector<Mapping> mappings;
    for (ValueId result : results) {
      auto mapping = Compare(results[0], result);
      if (!mapping) return;
      mappings.push_back(*std::move(mapping));
    }
    // Comparing the first branch with itself stops at its result, so the
    // identity is filled in here.
    mappings[0].clear();
    for (const auto& [x, y] : mappings[1]) mappings[0].emplace(x, x);
    Found found{.list = {.size = static_cast<int64_t>(results.size())}};
    if (Collect(mappings, stack != nullptr, found) &&
        AreClosed(mappings, meeting, found)) {
      Add(std::move(found), stack);
    }
  }

  struct Found {
    AlikeBranches list;
    std::set<const Node*> picks = {};
    // By branch: the values that only this branch has.
    std::vector<std::set<ValueId>> own = {};
    // The index of each branch along the axes that they pick from.
    std::vector<int64_t> order = {};
  };

  bool Collect(const std::vector<Mapping>& mappings, bool ordered,
               Found& found) const {
    found.own.resize(mappings.size());
    for (const auto& [x, y] : mappings[1]) {
      std::vector<ValueId> values = {x};
      for (size_t b = 1; b < mappings.size(); ++b) {
        const auto other = mappings[b].find(x);
        if (other == mappings[b].end()) return false;
        values.push_back(other->second);
      }
      const Role role = graph_.values()[x].role;
      const size_t different = std::set(values.begin(), values.end()).size();
      if (different == 1 || role == Role::kConstant) continue;
      if (different < values.size()) return false;
      for (size_t b = 0; b < values.size(); ++b) found.own[b].insert(values[b]);
      if (role == Role::kWeight) found.list.weights.push_back(values);
      if (PickOf(x) && Corresponding(PickOf(x), PickOf(y)) &&
          !AddPick(values, ordered, found)) {
        return false;
      }
    }
    const bool moves = !found.list.weights.empty() || !found.picks.empty();
    return moves && ComputesFromInputs(found);
  }

  // Weights that are merely added up or stacked are not branches: something
  // must be computed from the graph's inputs.
  bool ComputesFromInputs(const Found& found) const {
    return std::any_of(
        found.own[0].begin(), found.own[0].end(),
        [&](ValueId id) { return flow_.DependsOnInputs(id) && !PickOf(id); });
  }

  // Each branch must pick its own index, and all indices must be picked.
  bool AddPick(const std::vector<ValueId>& values, bool ordered,
               Found& found) const {
    std::vector<int64_t> order;
    const Pick first = *PickOf(values[0]);
    for (ValueId id : values) {
      const auto pick = PickOf(id);
      if (!pick || pick->data != first.data || pick->axis != first.axis ||
          pick->size != found.list.size) {
        return false;
      }
      order.push_back(pick->index);
      found.picks.insert(flow_.Producer(id));
    }
    if (static_cast<int64_t>(std::set(order.begin(), order.end()).size()) !=
        found.list.size) {
      return false;
    }
    if (ordered && !std::is_sorted(order.begin(), order.end())) return false;
    if (found.order.empty()) found.order = order;
    return found.order == order;
  }

  // The values of a branch may be used only by this branch, and by the nodes
  // that combine the branches.
  bool AreClosed(const std::vector<Mapping>& mappings,
                 const std::set<const Node*>& meeting,
                 const Found& found) const {
    for (size_t b = 0; b < mappings.size(); ++b) {
      for (ValueId id : found.own[b]) {
        if (!IsClosed(id, found.own[b], meeting)) return false;
      }
    }
    return true;
  }

  bool IsClosed(ValueId id, const std::set<ValueId>& own,
                const std::set<const Node*>& meeting) const {
    if (IsOutput(id)) return false;
    const auto& users = flow_.Users(id);
    const bool used_well =
        std::all_of(users.begin(), users.end(), [&](const Node* user) {
          return meeting.contains(user) || MakesOnly(*user, own);
        });
    const Node* maker = flow_.Producer(id);
    const bool split = maker != nullptr && maker->op == "Split";
    return used_well && (maker == nullptr || split || MakesOnly(*maker, own));
  }

  // Whether all used outputs of the node belong to the branch.
  bool MakesOnly(const Node& node, const std::set<ValueId>& own) const {
    return std::all_of(
        node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
          return id == kNoValue || own.contains(id) || flow_.Uses(id) == 0;
        });
  }

  // Outer branches are found before those within them. A tensor may be in one
  // list only.
  void Add(Found found, const Node* stack) {
    for (const Node* node : found.picks) {
      if (alike_.list_of_node.contains(NumberOf(node))) return;
    }
    for (const std::set<ValueId>& own : found.own) {
      for (ValueId id : own) {
        if (listed_.contains(id)) return;
      }
    }
    for (const std::set<ValueId>& own : found.own) {
      listed_.insert(own.begin(), own.end());
    }
    const int list = static_cast<int>(alike_.lists.size());
    for (const Node* node : found.picks) {
      alike_.list_of_node.emplace(NumberOf(node), list);
    }
    if (stack != nullptr) alike_.list_of_node.emplace(NumberOf(stack), list);
    if (!found.order.empty()) {
      for (std::vector<ValueId>& weights : found.list.weights) {
        std::vector<ValueId> sorted(weights.size());
        for (size_t b = 0; b < weights.size(); ++b) {
          sorted[found.order[b]] = weights[b];
        }
        weights = std::move(sorted);
      }
    }
    alike_.lists.push_back(std::move(found.list));
  }

  const Graph& graph_;
  const Inference& inference_;
  const Flow flow_;
  std::vector<bool> taken_;  // additions that belong to a sum already searched
  int64_t steps_;
  std::set<ValueId> listed_;  // values of branches that are in a list
  AlikeLists alike_;
};

}  // namespace

AlikeLists FindAlike(const Graph& graph, const Inference& inference) {
  return BranchSearch(graph, inference).Run();
}

}  // namespace rebasin
