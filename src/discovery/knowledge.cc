// The loop that applies rules until nothing changes, and the checks of claims.
#include "discovery/knowledge.h"

#include <algorithm>

#include "discovery/alike_atoms.h"
#include "discovery/claim_search.h"
#include "discovery/distinct.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// Causes other than the predefined ones: nodes have even numbers, values odd
// ones.
Cause NodeCause(size_t node) { return static_cast<Cause>(2 * node); }
Cause ValueCause(ValueId value) { return 2 * value + 1; }

// Models need two or three rounds. A graph made to need more gets fewer
// freedoms.
constexpr int kMaxRounds = 50;

// Limit of the passes over all nodes in one round. Models need three or four.
constexpr int kMaxPasses = 200;

// Whether the array is the same at all indices of the axis.
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

// Limit of the number of parts of a tensor.
constexpr int64_t kMaxParts = 1024;

bool Holds(const Product& product, AtomId atom) {
  return std::find(product.begin(), product.end(), atom) != product.end();
}

// Whether an atom of the axis lies within `outer`, without `outer` before it.
// With it, the indices of the two axes have nothing to do with each other: a
// square matrix may have the same atoms on both.
bool NeedsOuter(const Expression& axis, AtomId outer, AxisAlgebra& algebra) {
  const Expression products = algebra.Multiplied(axis);
  return std::any_of(products.begin(), products.end(), [&](const auto& p) {
    return !Holds(p, outer) && std::any_of(p.begin(), p.end(), [&](AtomId a) {
      return algebra.LiesWithin(a, outer);
    });
  });
}

// The axis at one index of a fixed atom of another axis.
Expression AtIndex(const Expression& axis, AtomId outer, int64_t index,
                   AxisAlgebra& algebra) {
  Expression result;
  for (const Product& product : algebra.Resolve(axis)) {
    const Expression part = Holds(product, outer)
                                ? Expression{product}
                                : algebra.Instance({product}, outer, index);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

// The axis whose leading fixed factors contain an atom of another axis.
std::optional<size_t> AxisOfParts(const Axes& axes, AxisAlgebra& algebra) {
  for (size_t k = 0; k < axes.size(); ++k) {
    const Expression whole = algebra.Resolve(axes[k]);
    if (whole.size() != 1) continue;
    int64_t parts = 1;
    for (AtomId atom : whole[0]) {
      parts *= algebra.size(atom);
      if (!algebra.IsFixed(atom) || parts > kMaxParts) break;
      if (!algebra.IsClaimed(atom)) continue;
      for (size_t other = 0; other < axes.size(); ++other) {
        if (other != k && NeedsOuter(axes[other], atom, algebra)) return k;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Knowledge::Knowledge(const Graph& graph, std::span<const Inference> traces,
                     const SizeDependence& sizes, const AlikeLists* alike)
    : graph_(graph),
      traces_(traces),
      sizes_(sizes),
      alike_(alike),
      axes_(traces.size() * values()),
      has_axes_(traces.size() * values(), false),
      distinct_(FindDistinct(graph)),
      obstacles_(nodes(), Obstacle::kNone),
      cut_by_size_(nodes(), false),
      slots_(traces.size() * nodes()),
      report_sizes_(traces.size() + 1) {
  InitializeSourceAxes();
  FixUnused();
  if (alike_ != nullptr) {
    for (const AlikeBranches& list : alike_->lists) {
      orders_.push_back(algebra_.Free(list.size));
    }
  }
  LearnAll();
  while (FixNeverRead() || FixSelfProducts() || FixUnlikeLists()) LearnAll();
}

void Knowledge::LearnAll() {
  LearnFromNodes();
  LearnUntilClaimsHold();
  TryFurtherClaims();
  LearnUntilClaimsHold();
}

void Knowledge::LearnUntilClaimsHold() {
  for (int round = 0; WithdrawWrongClaims(); ++round) {
    if (round >= kMaxRounds) return FixEverything();
    LearnFromNodes();
  }
}

// An array without elements has nothing to permute, and would need special
// cases in every division.
bool Knowledge::IsUsable(size_t trace, ValueId value) const {
  const ValueType& type = traces_[trace].types[value];
  return type.known &&
         std::find(type.shape.begin(), type.shape.end(), 0) == type.shape.end();
}

Axes Knowledge::FreshAxes(size_t trace, ValueId value) {
  const Role role = graph_.values()[value].role;
  Axes axes;
  for (int64_t size : traces_[trace].types[value].shape) {
    axes.push_back(role == Role::kWeight
                       ? algebra_.FreeAxis(size)
                       : algebra_.FixedAxis(size, ValueCause(value)));
  }
  return axes;
}

// Constants are never permuted. An axis along which a constant does not vary is
// free, since permuting it changes nothing.
Axes Knowledge::ConstantAxes(size_t trace, ValueId value) {
  const Array& array = *traces_[trace].constants[value];
  Axes axes;
  for (size_t k = 0; k < array.shape.size(); ++k) {
    const int64_t size = array.shape[k];
    axes.push_back(IsUniform(array, k)
                       ? algebra_.FreeAxis(size)
                       : algebra_.FixedAxis(size, ValueCause(value)));
  }
  return axes;
}

void Knowledge::InitializeSourceAxes() {
  std::vector<bool> used(graph_.values().size(), false);
  for (const Node& node : graph_.nodes()) {
    for (ValueId id : node.inputs) {
      if (id != kNoValue) used[id] = true;
    }
  }
  for (ValueId id : graph_.outputs()) used[id] = true;
  for (size_t t = 0; t < traces_.size(); ++t) {
    for (ValueId id = 0; id < static_cast<ValueId>(values()); ++id) {
      const Role role = graph_.values()[id].role;
      const bool constant = traces_[t].constants[id].has_value();
      if (!IsUsable(t, id) || (role == Role::kComputed && !constant)) continue;
      if (constant && !used[id]) continue;
      const bool shared = role == Role::kWeight && t > 0;
      axes_[IndexOf(t, id)] = shared     ? axes_[id]
                              : constant ? ConstantAxes(t, id)
                                         : FreshAxes(t, id);
      has_axes_[IndexOf(t, id)] = true;
    }
  }
}

// Fixes weights that no output depends on: permuting them is a useless
// symmetry.
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
    if (++passes > kMaxPasses) return FixEverything();
    report_ = {};
    for (size_t t = 0; t < traces_.size(); ++t) {
      for (size_t n = 0; n < nodes(); ++n) VisitNode(t, n);
      for (ValueId id : graph_.outputs()) {
        for (const Expression& axis : axes_[IndexOf(t, id)]) {
          algebra_.Fix(axis, ValueCause(id));
        }
        if (const Expression* along = PositionsOf(t, id)) {
          algebra_.Fix(*along, ValueCause(id));
        }
      }
      report_sizes_[t + 1] = {report_.laws.size(), report_.reads.size()};
    }
  }
}

// Fixes everything, which is always correct and ends the search.
void Knowledge::FixEverything() {
  algebra_.WithdrawAll();
  report_ = {};
  report_sizes_.assign(traces_.size() + 1, {});
  for (size_t id = 0; id < axes_.size(); ++id) {
    for (const Expression& axis : axes_[id]) {
      algebra_.Fix(axis, kInexpressible);
    }
  }
}

bool Knowledge::IsFolded(size_t trace, size_t n) const {
  const Node& node = graph_.nodes()[n];
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
    return id == kNoValue || traces_[trace].constants[id].has_value();
  });
}

// Applies the rule once more. Nothing is left to learn, so this changes
// nothing.
AxisCorrespondence Knowledge::CorrespondenceOf(size_t n) {
  AxisCorrespondence correspondence;
  VisitNode(0, n, &correspondence);
  return correspondence;
}

// What is known about a node's inputs and outputs.
struct Knowledge::Operands {
  std::vector<const ValueType*> types;  // of inputs
  std::vector<const Array*> arrays;     // null: not a constant
  std::vector<RuleInput> inputs;
  std::vector<const ValueType*> outputs;  // null: unused or unknown
  bool all_known = true;                  // axes of inputs, types of outputs
};

Knowledge::Operands Knowledge::OperandsOf(size_t trace,
                                          const Node& node) const {
  const Inference& inference = traces_[trace];
  Operands operands;
  for (ValueId id : node.inputs) {
    const bool present = id != kNoValue;
    const bool constant = present && inference.constants[id].has_value();
    const bool has_axes = present && has_axes_[IndexOf(trace, id)];
    operands.types.push_back(present ? &inference.types[id] : nullptr);
    operands.arrays.push_back(constant ? &*inference.constants[id] : nullptr);
    operands.inputs.push_back(
        {.axes = has_axes ? &axes_[IndexOf(trace, id)] : nullptr,
         .positions = present ? PositionsOf(trace, id) : nullptr,
         .distinct = present ? distinct_[id] : kNotDistinct,
         .choices = present ? ChoicesOf(trace, id) : nullptr});
    operands.all_known &= !present || has_axes;
  }
  for (ValueId id : node.outputs) {
    const bool known = id != kNoValue && IsUsable(trace, id);
    operands.outputs.push_back(known ? &inference.types[id] : nullptr);
    operands.all_known &= known || id == kNoValue;
  }
  return operands;
}

void Knowledge::VisitNode(size_t trace, size_t n,
                          AxisCorrespondence* correspondence) {
  const Node& node = graph_.nodes()[n];
  if (IsFolded(trace, n)) return;
  Operands operands = OperandsOf(trace, node);
  const OpContext op(node, operands.types, operands.arrays);
  RuleContext context(op, algebra_, NodeCause(n), std::move(operands.inputs),
                      operands.outputs, sizes_, slots_[trace * nodes() + n],
                      report_);
  context.RecordCorrespondence(correspondence);
  if (!orders_.empty()) {
    const auto list = alike_->list_of_node.find(n);
    if (list != alike_->list_of_node.end()) {
      context.SetBranches(orders_[list->second]);
    }
  }
  ApplyRule(n, operands.all_known, context);
  KeepOutputs(trace, node, context);
}

void Knowledge::ApplyRule(size_t n, bool shapes_known, RuleContext& context) {
  const Rule rule = FindRule(graph_.nodes()[n].op);
  if (rule == nullptr || !shapes_known) {
    obstacles_[n] =
        rule == nullptr ? Obstacle::kNoRule : Obstacle::kUnknownShape;
    context.FixAll();
  } else {
    context.PassPositions();
    rule(context);
  }
  context.FixUntakenPositions();
  if (context.cut_by_size()) cut_by_size_[n] = true;
}

void Knowledge::KeepOutputs(size_t trace, const Node& node,
                            RuleContext& context) {
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    if (context.output(o) == nullptr) continue;
    const size_t at = IndexOf(trace, node.outputs[o]);
    axes_[at] = context.TakeAxes(o);
    has_axes_[at] = true;
    if (const Expression* along = context.positions_of_output(o)) {
      positions_[at] = *along;
    }
    auto choices = context.ChoicesOf(o);
    if (!choices.empty() || choices_.contains(at)) {
      choices_[at] = std::move(choices);
    }
  }
}

const Expression* Knowledge::PositionsOf(size_t trace, ValueId value) const {
  const auto found = positions_.find(IndexOf(trace, value));
  return found == positions_.end() ? nullptr : &found->second;
}

const std::vector<Choice>* Knowledge::ChoicesOf(size_t trace,
                                                ValueId value) const {
  const auto found = choices_.find(IndexOf(trace, value));
  return found == choices_.end() ? nullptr : &found->second;
}

// The axes of a value, followed by one axis for each choice that was made along
// them.
Axes Knowledge::AxesAndChoices(size_t at) const {
  Axes axes = axes_[at];
  const auto found = choices_.find(at);
  if (found == choices_.end()) return axes;
  for (const Choice& choice : found->second) axes.push_back(choice.among);
  return axes;
}

Knowledge::Parts Knowledge::SpecParts(ValueId value) {
  Parts parts;
  AddParts(axes_[value], false, parts);
  for (Axes& axes : parts.axes) {
    for (Expression& axis : axes) axis = algebra_.Explode(axis);
  }
  return parts;
}

// If an atom of another axis lies within a fixed factor that leads this axis,
// each index of the factor is a part with axes of its own.
// `within`: `axes` are those of a part already.
void Knowledge::AddParts(const Axes& axes, bool within, Parts& parts) {
  const auto along = AxisOfParts(axes, algebra_);
  if (!along || (within && *along != parts.along)) {
    parts.axes.push_back(axes);
    return;
  }
  parts.along = *along;
  const Product whole = algebra_.Resolve(axes[*along])[0];
  for (int64_t i = 0; i < algebra_.size(whole[0]); ++i) {
    Axes part = axes;
    part[*along] = {Product(whole.begin() + 1, whole.end())};
    for (Expression& axis : part) axis = AtIndex(axis, whole[0], i, algebra_);
    AddParts(part, true, parts);
  }
}

Axes Knowledge::WholeAxes(ValueId value) {
  Axes axes = axes_[value];
  for (Expression& axis : axes) axis = algebra_.Explode(axis);
  return axes;
}

Axes Knowledge::AtomsOnAxes(const Parts& parts) {
  Axes all;
  for (const Axes& axes : parts.axes) {
    for (const Expression& axis : axes) {
      all.push_back(algebra_.Multiplied(axis));
    }
  }
  return all;
}

bool Knowledge::WithdrawWrongClaims() {
  std::vector<AtomId> wrong;
  for (size_t id = 0; id < axes_.size(); ++id) {
    if (!has_axes_[id]) continue;
    const auto strays = choices_.contains(id)
                            ? ClaimsWithoutOuter(AxesAndChoices(id), algebra_)
                            : ClaimsWithoutOuter(axes_[id], algebra_);
    wrong.insert(wrong.end(), strays.begin(), strays.end());
  }
  for (const Law& law : report_.laws) {
    const auto breaches = ClaimsBreakingLaw(law, algebra_);
    wrong.insert(wrong.end(), breaches.begin(), breaches.end());
  }
  for (ValueId id : graph_.weights()) {
    const Parts parts = SpecParts(id);
    for (const Axes& part : parts.axes) {
      const auto strays = ClaimsWithoutOuter(part, algebra_);
      wrong.insert(wrong.end(), strays.begin(), strays.end());
    }
    for (const Expression& axis : AtomsOnAxes(parts)) {
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
  const bool settled = algebra_.MergeStaleInstances();
  return settled || !wrong.empty();
}

template <typename Function>
void Knowledge::ForEachFreeInWeights(const Function& function) {
  for (ValueId id : graph_.weights()) {
    for (const Expression& axis : AtomsOnAxes(id)) {
      for (const Product& product : axis) {
        for (AtomId atom : product) {
          if (!algebra_.IsFixed(atom)) function(atom, product);
        }
      }
    }
  }
}

// Axes that were separate from the start (a weight of shape [heads, size]) have
// no product that makes one claim to lie within the other. So each free atom
// tries every atom that occurs with it in all values, and keeps the first claim
// that violates no law.
void Knowledge::TryFurtherClaims() {
  std::vector<Axes> axes;
  if (!choices_.empty()) {
    for (size_t at = 0; at < axes_.size(); ++at) {
      axes.push_back(AxesAndChoices(at));
    }
  }
  const ClaimSearch search(choices_.empty() ? axes_ : axes, report_.laws,
                           algebra_);
  ForEachFreeInWeights([&](AtomId atom, const Product&) {
    if (algebra_.Outer(atom) == kNoAtom) search.TryClaims(atom);
  });
}

// The atoms of axes that are summed over or normalised along. Every index that
// affects an output, and is not on an output itself, is read in this way
// somewhere.
std::set<AtomId> Knowledge::AtomsReadIn(size_t trace) {
  std::set<AtomId> read;
  const auto add = [&](const Expression& axis) {
    for (const Product& product : algebra_.Multiplied(algebra_.Explode(axis))) {
      for (AtomId atom : product) {
        for (AtomId each : algebra_.WithInstances(atom)) read.insert(each);
      }
    }
  };
  const auto [laws, reads] = report_sizes_[trace];
  const auto [laws_end, reads_end] = report_sizes_[trace + 1];
  for (size_t l = laws; l < laws_end; ++l) {
    const Law& law = report_.laws[l];
    for (const auto& operand : law.operands) {
      for (const LabelledAxis& axis : operand) {
        if (law.mixed.contains(axis.label)) add(axis.axis);
      }
    }
  }
  for (size_t r = reads; r < reads_end; ++r) add(report_.reads[r]);
  return read;
}

// Indices that are cut off before anything reads them may be used at another
// input size, or by a part of the program that was not exported: the rows of a
// position table beyond the traced length.
bool Knowledge::FixNeverRead() {
  std::set<AtomId> unread;
  for (size_t t = 0; t < traces_.size(); ++t) {
    const std::set<AtomId> read = AtomsReadIn(t);
    ForEachFreeInWeights([&](AtomId atom, const Product&) {
      if (!read.contains(atom)) unread.insert(atom);
    });
  }
  for (AtomId atom : unread) algebra_.Fix({{atom}}, kNeverRead);
  return !unread.empty();
}

// The outer product of a vector with itself, flattened: an axis can hold a
// group only once.
bool Knowledge::FixSelfProducts() {
  std::set<AtomId> repeated;
  ForEachFreeInWeights([&](AtomId atom, const Product& product) {
    if (std::count(product.begin(), product.end(), atom) > 1) {
      repeated.insert(atom);
    }
  });
  for (AtomId atom : repeated) algebra_.Fix({{atom}}, kSelfProduct);
  return !repeated.empty();
}

std::vector<OrderedBranches> Knowledge::Lists() {
  std::vector<OrderedBranches> lists;
  for (size_t l = 0; l < orders_.size(); ++l) {
    const Expression order = algebra_.Resolve({{orders_[l]}});
    const bool one = order.size() == 1 && order[0].size() == 1;
    if (!one || algebra_.IsFixed(order)) continue;
    lists.push_back({&alike_->lists[l], order[0][0]});
  }
  return lists;
}

// A spec cannot express lists whose tensors have different freedoms.
bool Knowledge::FixUnlikeLists() {
  bool fixed = false;
  for (AtomId order : orders_) {
    const Expression axis = algebra_.Resolve({{order}});
    if (axis.size() == 1 && axis[0].size() == 1) continue;
    if (algebra_.IsFixed(axis)) continue;
    algebra_.Fix(axis, kInexpressible);
    fixed = true;
  }
  for (const OrderedBranches& list : Lists()) {
    if (CorrespondingAtoms(list, *this)) continue;
    algebra_.Fix({{list.order}}, kInexpressible);
    fixed = true;
  }
  return fixed;
}

Reason Knowledge::ReasonOf(Cause cause) const {
  switch (cause) {
    case kInexpressible:
      return {"is part of a structure that axis expressions cannot describe",
              ""};
    case kNeverRead:
      return {"is never read at the size of this graph", ""};
    case kSelfProduct:
      return {"occurs twice on one axis", ""};
    default:
      return cause % 2 == 0 ? ReasonOfNode(cause / 2)
                            : ReasonOfValue(cause / 2);
  }
}

Reason Knowledge::ReasonOfNode(size_t n) const {
  const Node& node = graph_.nodes()[n];
  const std::string op = Printable(node.op, 60);
  if (cut_by_size_[n]) {
    return {"is cut to a size that depends on the inputs, by " + op, node.name};
  }
  switch (obstacles_[n]) {
    case Obstacle::kNoRule:
      return {"passes through an operator without a rule, " + op, node.name};
    case Obstacle::kUnknownShape:
      return {"passes through an operator with unknown shapes, " + op,
              node.name};
    case Obstacle::kNone:
      break;
  }
  return {"is in an order that matters to " + op, node.name};
}

Reason Knowledge::ReasonOfValue(ValueId id) const {
  const Value& value = graph_.values()[id];
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
      std::find(graph_.outputs().begin(), graph_.outputs().end(), id) !=
      graph_.outputs().end();
  return {is_output ? "reaches the graph output" : "meets a constant",
          value.name};
}

}  // namespace rebasin
