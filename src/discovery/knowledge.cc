#include "discovery/knowledge.h"

#include <algorithm>

#include "discovery/surroundings.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// Causes: kInexpressible, then nodes and values in turn.
Cause NodeCause(size_t node) { return static_cast<Cause>(2 * node); }
Cause ValueCause(ValueId value) { return 2 * value + 1; }

// Models take two or three; a file made to take more gets fewer freedoms.
constexpr int kMostRounds = 50;

// Passes over all nodes at a time; models take three or four.
constexpr int kMostPasses = 200;

// True if the array is the same at all indices of the axis.
bool IsUniform(const Array& array, size_t axis) {
  int64_t inner = 1;
  for (size_t k = axis + 1; k < array.shape.size(); ++k) {
    inner *= array.shape[k];
  }
  const int64_t size = array.shape[axis];
  const double* data = array.values().data();
  const int64_t outer = array.size() / (inner * size);
  for (int64_t o = 0; o < outer; ++o, data += inner * size) {
    for (int64_t i = 1; i < size; ++i) {
      if (!std::equal(data, data + inner, data + i * inner)) return false;
    }
  }
  return true;
}

}  // namespace

Knowledge::Knowledge(const Graph& graph, const Inference& inference)
    : graph_(graph),
      inference_(inference),
      axes_(graph.values().size()),
      has_axes_(graph.values().size(), false),
      barriers_(graph.nodes().size(), false),
      slots_(graph.nodes().size()) {
  GiveAxesToSources();
  FixUnused();
  LearnFromNodes();
  LearnUntilClaimsHold();
  TryFurtherClaims();
  LearnUntilClaimsHold();
}

void Knowledge::LearnUntilClaimsHold() {
  for (int round = 0; WithdrawWrongClaims(); ++round) {
    if (round >= kMostRounds) return GiveUp();
    LearnFromNodes();
  }
}

// An array without elements has nothing to permute, and would have to be
// thought of in every division.
bool Knowledge::IsUsable(ValueId value) const {
  const ValueType& type = inference_.types[value];
  return type.known &&
         std::find(type.shape.begin(), type.shape.end(), 0) == type.shape.end();
}

Axes Knowledge::FreshAxes(ValueId value) {
  const Role role = graph_.values()[value].role;
  Axes axes;
  for (int64_t size : inference_.types[value].shape) {
    axes.push_back(role == Role::kWeight
                       ? algebra_.FreeAxis(size)
                       : algebra_.FixedAxis(size, ValueCause(value)));
  }
  return axes;
}

// Constants are never permuted; but along an axis where they do not vary,
// permuting them would change nothing.
Axes Knowledge::ConstantAxes(ValueId value) {
  const Array& array = *inference_.constants[value];
  Axes axes;
  for (size_t k = 0; k < array.shape.size(); ++k) {
    const int64_t size = array.shape[k];
    axes.push_back(IsUniform(array, k)
                       ? algebra_.FreeAxis(size)
                       : algebra_.FixedAxis(size, ValueCause(value)));
  }
  return axes;
}

void Knowledge::GiveAxesToSources() {
  std::vector<bool> used(graph_.values().size(), false);
  for (const Node& node : graph_.nodes()) {
    for (ValueId id : node.inputs) {
      if (id != kNoValue) used[id] = true;
    }
  }
  for (ValueId id : graph_.outputs()) used[id] = true;
  for (size_t id = 0; id < graph_.values().size(); ++id) {
    const Role role = graph_.values()[id].role;
    const bool constant = inference_.constants[id].has_value();
    if (!IsUsable(id) || (role == Role::kComputed && !constant)) continue;
    if (constant && !used[id]) continue;
    axes_[id] = constant ? ConstantAxes(id) : FreshAxes(id);
    has_axes_[id] = true;
  }
}

// Permuting what nobody reads is no symmetry worth the name.
void Knowledge::FixUnused() {
  std::vector<bool> reaches(graph_.values().size(), false);
  for (ValueId id : graph_.outputs()) reaches[id] = true;
  const auto& nodes = graph_.nodes();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const bool useful =
        std::any_of(node->outputs.begin(), node->outputs.end(),
                    [&](ValueId id) { return id != kNoValue && reaches[id]; });
    if (!useful) continue;
    for (ValueId id : node->inputs) {
      if (id != kNoValue) reaches[id] = true;
    }
  }
  for (ValueId id : graph_.weights()) {
    if (reaches[id]) continue;
    for (const Expression& axis : axes_[id]) {
      algebra_.Fix(axis, ValueCause(id));
    }
  }
}

void Knowledge::LearnFromNodes() {
  int passes = 0;
  for (int64_t before = algebra_.knowledge() - 1;
       before != algebra_.knowledge();) {
    before = algebra_.knowledge();
    if (++passes > kMostPasses) return GiveUp();
    laws_.clear();
    for (size_t n = 0; n < graph_.nodes().size(); ++n) Visit(n);
    for (ValueId id : graph_.outputs()) {
      for (const Expression& axis : axes_[id]) {
        algebra_.Fix(axis, ValueCause(id));
      }
    }
  }
}

// Nothing is permuted: always right, and the end of all learning.
void Knowledge::GiveUp() {
  algebra_.WithdrawAll();
  laws_.clear();
  for (size_t id = 0; id < axes_.size(); ++id) {
    for (const Expression& axis : axes_[id]) {
      algebra_.Fix(axis, kInexpressible);
    }
  }
}

bool Knowledge::IsFolded(size_t n) const {
  const Node& node = graph_.nodes()[n];
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
    return id == kNoValue || inference_.constants[id].has_value();
  });
}

// Everything is learnt: the rule says the same once more.
Notes Knowledge::NotesOf(size_t n) {
  Notes notes;
  Visit(n, &notes);
  return notes;
}

void Knowledge::Visit(size_t n, Notes* notes) {
  const Node& node = graph_.nodes()[n];
  if (IsFolded(n)) return;
  std::vector<const ValueType*> types;
  std::vector<const Array*> arrays;
  std::vector<const Axes*> inputs;
  bool usable = true;
  for (ValueId id : node.inputs) {
    const bool present = id != kNoValue;
    const bool constant = present && inference_.constants[id].has_value();
    types.push_back(present ? &inference_.types[id] : nullptr);
    arrays.push_back(constant ? &*inference_.constants[id] : nullptr);
    inputs.push_back(present && has_axes_[id] ? &axes_[id] : nullptr);
    usable &= !present || has_axes_[id];
  }
  std::vector<const ValueType*> outputs;
  for (ValueId id : node.outputs) {
    const bool known = id != kNoValue && IsUsable(id);
    outputs.push_back(known ? &inference_.types[id] : nullptr);
    usable &= known || id == kNoValue;
  }
  const OpContext op(node, types, arrays);
  RuleContext context(op, algebra_, NodeCause(n), std::move(inputs), outputs,
                      slots_[n], laws_);
  context.WriteNotesTo(notes);
  const Rule rule = FindRule(node.op);
  barriers_[n] = rule == nullptr || !usable;
  if (barriers_[n]) {
    context.FixAll();
  } else {
    rule(context);
  }
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    if (outputs[o] == nullptr) continue;
    axes_[node.outputs[o]] = context.TakeAxes(o);
    has_axes_[node.outputs[o]] = true;
  }
}

// A spec has no word for what lies within a fixed factor on another axis.
Axes Knowledge::SpecAxes(ValueId value) {
  Axes axes;
  for (const Expression& axis : axes_[value]) {
    axes.push_back(algebra_.Explode(axis));
  }
  return axes;
}

bool Knowledge::WithdrawWrongClaims() {
  std::vector<AtomId> wrong;
  for (size_t id = 0; id < axes_.size(); ++id) {
    if (!has_axes_[id]) continue;
    const auto strays = FindStrays(axes_[id], algebra_);
    wrong.insert(wrong.end(), strays.begin(), strays.end());
  }
  for (const Law& law : laws_) {
    const auto breaches = FindBreaches(law, algebra_);
    wrong.insert(wrong.end(), breaches.begin(), breaches.end());
  }
  for (ValueId id : graph_.weights()) {
    const auto strays = FindStrays(SpecAxes(id), algebra_);
    wrong.insert(wrong.end(), strays.begin(), strays.end());
    for (const Expression& axis : SpecAxes(id)) {
      for (const Product& product : axis) {
        for (AtomId atom : product) {
          const AtomId outer = algebra_.Outer(atom);
          const bool lost = outer != kNoAtom && algebra_.IsFixed(outer);
          if (lost && !algebra_.IsFixed(atom)) wrong.push_back(atom);
        }
      }
    }
  }
  std::sort(wrong.begin(), wrong.end());
  wrong.erase(std::unique(wrong.begin(), wrong.end()), wrong.end());
  for (AtomId atom : wrong) algebra_.Withdraw(atom);
  const bool settled = algebra_.SettleInstances();
  return settled || !wrong.empty();
}

// Axes that were separate from the start (a weight of shape [heads, size])
// have no product that would make one claim to lie within the other. So every
// free atom tries each that accompanies it in all values, and keeps the first
// that no law objects to.
void Knowledge::TryFurtherClaims() {
  const Surroundings surroundings(axes_, laws_, algebra_);
  for (ValueId id : graph_.weights()) {
    for (const Expression& axis : SpecAxes(id)) {
      for (const Product& product : axis) {
        for (AtomId atom : product) {
          if (!algebra_.IsFixed(atom) && algebra_.Outer(atom) == kNoAtom) {
            surroundings.TryClaims(atom);
          }
        }
      }
    }
  }
}

Reason Knowledge::ReasonOf(Cause cause) const {
  if (cause == kInexpressible) {
    return {"is part of a structure that axis expressions cannot describe", ""};
  }
  if (cause % 2 == 0) {
    const Node& node = graph_.nodes()[cause / 2];
    const std::string op = Printable(node.op, 60);
    return {
        (barriers_[cause / 2] ? "passes through an operator without a rule, "
                              : "is in an order that matters to ") +
            op,
        node.name};
  }
  const Value& value = graph_.values()[cause / 2];
  switch (value.role) {
    case Role::kInput:
      return {"meets the graph input", value.name};
    case Role::kConstant:
      return {"meets a constant", value.name};
    case Role::kWeight:
      return {"is not used", ""};
    case Role::kComputed:
      break;
  }
  const bool is_output =
      std::find(graph_.outputs().begin(), graph_.outputs().end(), cause / 2) !=
      graph_.outputs().end();
  return {is_output ? "reaches the graph output" : "meets a constant",
          value.name};
}

}  // namespace rebasin
