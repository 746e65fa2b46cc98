#include "graph/size_dependence.h"

#include <algorithm>

#include "graph/apply.h"
#include "graph/operator.h"

namespace rebasin {
namespace {

// Arrays of shape arithmetic are smaller than this.
constexpr size_t kMaxMarks = 4096;

// Windows and strides make 1 of every small size, but not of this many times
// the size.
constexpr int64_t kManyTimes = 64;

std::vector<Array> Evaluate(const Node& node, std::span<const Array> inputs) {
  std::vector<ValueType> types;
  std::vector<const ValueType*> type_list;
  std::vector<const Array*> arrays;
  types.reserve(inputs.size());
  for (const Array& input : inputs) {
    types.push_back(KnownType(input.kind, input.shape));
    type_list.push_back(&types.back());
    arrays.push_back(&input);
  }
  const Operator& op = *FindOperator(node.op);
  const OpContext context(node, type_list, arrays);
  return EvaluateOutputs(op, context, InferOutputs(op, context));
}

}  // namespace

SizeDependence::SizeDependence(const Graph& graph,
                               std::span<const Inference> inferences)
    : axes_(graph.values().size()), elements_(graph.values().size()) {
  MarkOpenInputs(graph);
  CompareSizes(inferences);
  FollowNodes(graph, inferences[0]);
}

// What is open may vary, even if only one choice was tried.
void SizeDependence::MarkOpenInputs(const Graph& graph) {
  for (ValueId id : graph.inputs()) {
    const Shape& shape = graph.values()[id].shape;
    if (std::none_of(shape.begin(), shape.end(),
                     [](int64_t size) { return size < 0; })) {
      continue;
    }
    for (int64_t size : shape) axes_[id].push_back(size < 0);
  }
}

bool SizeDependence::AxisDepends(ValueId value, size_t axis) const {
  if (axes_.empty() || value == kNoValue) return false;
  return axis < axes_[value].size() && axes_[value][axis];
}

bool SizeDependence::ElementDepends(ValueId value, size_t element) const {
  if (elements_.empty() || value == kNoValue) return false;
  const Marks& marks = elements_[value];
  return marks.all || (element < marks.each.size() && marks.each[element]);
}

void SizeDependence::CompareSizes(std::span<const Inference> inferences) {
  for (size_t id = 0; id < axes_.size(); ++id) {
    const ValueType& first = inferences[0].types[id];
    if (!first.known) continue;
    std::vector<bool> depends = axes_[id];
    depends.resize(first.shape.size(), false);
    for (const Inference& other : inferences.subspan(1)) {
      const ValueType& type = other.types[id];
      const bool alike = type.known && type.shape.size() == first.shape.size();
      for (size_t k = 0; k < depends.size(); ++k) {
        if (!alike || type.shape[k] != first.shape[k]) depends[k] = true;
      }
    }
    const bool any = std::count(depends.begin(), depends.end(), true) > 0;
    if (any) axes_[id] = std::move(depends);
  }
}

void SizeDependence::FollowNodes(const Graph& graph,
                                 const Inference& inference) {
  for (const Node& node : graph.nodes()) {
    MarkAxesThatFollow(node, inference);
    MarkAxesMadeBy(node, inference);
    const bool folded =
        std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
          return id == kNoValue || inference.constants[id].has_value();
        });
    if (folded) MarkElements(node, inference);
  }
}

bool SizeDependence::IsAffected(const Node& node) const {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
    return id != kNoValue && HasMarks(id);
  });
}

void SizeDependence::MarkElements(const Node& node,
                                  const Inference& inference) {
  if (Is(node, OperatorClass::kShapeOnly)) return MarkShapeOf(node, inference);
  if (!IsAffected(node)) return;
  const SizeMarks marks = FactsOf(node).marks;
  if (marks == SizeMarks::kMoved && MarkLike(node, inference)) return;
  if (marks == SizeMarks::kEach && MarkElementwise(node, inference)) return;
  MarkAll(node);
}

// Shape returns the sizes of the axes, Size their product.
void SizeDependence::MarkShapeOf(const Node& node, const Inference& inference) {
  const ValueId in = node.inputs[0], out = node.outputs[0];
  const std::vector<bool>& depends = axes_[in];
  if (depends.empty() || out == kNoValue) return;
  if (FactsOf(node).marks == SizeMarks::kAll) return MarkAll(node);
  const auto size = static_cast<size_t>(inference.constants[out]->size());
  // Shape with `start` or `end`
  if (size != depends.size()) return MarkAll(node);
  elements_[out].each.assign(depends.begin(), depends.end());
}

void SizeDependence::MarkAll(const Node& node) {
  for (ValueId id : node.outputs) {
    if (id != kNoValue) elements_[id].all = true;
  }
}

Array SizeDependence::MarksOf(ValueId value, const Inference& inference) const {
  const Array& array = *inference.constants[value];
  std::vector<double> marks(array.size(), elements_[value].all ? 1 : 0);
  const std::vector<bool>& each = elements_[value].each;
  std::copy(each.begin(), each.end(), marks.begin());
  return MakeArray(Kind::kFloat, array.shape, std::move(marks));
}

bool SizeDependence::HasMarks(ValueId value) const {
  return elements_[value].all || !elements_[value].each.empty();
}

void SizeDependence::StoreMarks(ValueId value, const Array& marks) {
  const auto& values = marks.values();
  std::vector<bool> each;
  for (double mark : values) each.push_back(mark != 0);
  if (std::count(each.begin(), each.end(), true) == 0) return;
  elements_[value].all = each.size() > kMaxMarks;
  if (!elements_[value].all) elements_[value].each = std::move(each);
}

// Moves the marks as the operator moves elements. Returns false if the way they
// are moved depends on open sizes itself.
bool SizeDependence::MarkLike(const Node& node, const Inference& inference) {
  std::vector<Array> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    const InputRole role = RoleOfInput(node, i);
    const bool data = role == InputRole::kData || role == InputRole::kTable;
    if (id == kNoValue || (!data && HasMarks(id))) return false;
    inputs.push_back(data ? MarksOf(id, inference) : *inference.constants[id]);
  }
  const std::vector<Array> marks = Evaluate(node, inputs);
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    const ValueId id = node.outputs[o];
    if (id != kNoValue && o < marks.size()) StoreMarks(id, marks[o]);
  }
  return true;
}

// Marks an element of the result if one of its operands is marked.
bool SizeDependence::MarkElementwise(const Node& node,
                                     const Inference& inference) {
  std::vector<Array> inputs;
  for (ValueId id : node.inputs) {
    if (id == kNoValue) return false;
    inputs.push_back(MarksOf(id, inference));
  }
  const Node most = {.op = "Max",
                     .name = node.name,
                     .inputs = node.inputs,
                     .outputs = {node.outputs[0]},
                     .attributes = {}};
  StoreMarks(node.outputs[0], Evaluate(most, inputs)[0]);
  return true;
}

// An axis may follow an open size although it is the same at all sizes tried:
// an image of 4 x 4 and one of 7 x 7 have one patch of 4 x 4. So the node alone
// is asked what it makes of larger sizes. If it takes no larger ones altogether
// (one of them meets a table), it is asked about each place by itself, counted
// from the end as broadcasting does.
void SizeDependence::MarkAxesThatFollow(const Node& node,
                                        const Inference& inference) {
  const auto all = [](int64_t) { return true; };
  if (MarkAxesFollowing(node, inference, all)) return;
  int64_t most = 0;
  for (ValueId id : node.inputs) {
    if (id == kNoValue) continue;
    most = std::max<int64_t>(most, std::ssize(inference.types[id].shape));
  }
  for (int64_t place = 0; place < most; ++place) {
    MarkAxesFollowing(node, inference,
                      [=](int64_t from_end) { return from_end == place; });
  }
}

bool SizeDependence::MarkAxesFollowing(
    const Node& node, const Inference& inference,
    const std::function<bool(int64_t from_end)>& grows) {
  const Operator* op = FindOperator(node.op);
  if (op == nullptr) return true;
  std::vector<ValueType> types;
  std::vector<const ValueType*> type_list;
  std::vector<const Array*> arrays;
  types.reserve(node.inputs.size());
  bool larger = false;
  for (ValueId id : node.inputs) {
    if (id != kNoValue && !inference.types[id].known) return true;
    types.push_back(id == kNoValue ? ValueType() : inference.types[id]);
    type_list.push_back(id == kNoValue ? nullptr : &types.back());
    const bool constant = id != kNoValue && inference.constants[id].has_value();
    arrays.push_back(constant ? &*inference.constants[id] : nullptr);
    Shape& shape = types.back().shape;
    for (size_t k = 0; k < shape.size(); ++k) {
      const int64_t from_end = std::ssize(shape) - 1 - static_cast<int64_t>(k);
      if (constant || !AxisDepends(id, k) || !grows(from_end)) continue;
      shape[k] *= kManyTimes;
      larger = true;
    }
  }
  if (!larger) return true;
  try {
    MarkDifferences(node, inference,
                    InferOutputs(*op, OpContext(node, type_list, arrays)));
  } catch (const Error&) {
    return false;
  }
  return true;
}

void SizeDependence::MarkDifferences(const Node& node,
                                     const Inference& inference,
                                     std::span<const ValueType> types) {
  for (size_t o = 0; o < node.outputs.size() && o < types.size(); ++o) {
    const ValueId id = node.outputs[o];
    if (id == kNoValue || !types[o].known || !inference.types[id].known) {
      continue;
    }
    const Shape& before = inference.types[id].shape;
    if (types[o].shape.size() != before.size()) continue;
    for (size_t k = 0; k < before.size(); ++k) {
      if (types[o].shape[k] == before[k]) continue;
      axes_[id].resize(before.size(), false);
      axes_[id][k] = true;
    }
  }
}

// An axis whose size is computed from open sizes depends on them, even if its
// size is the same at all sizes tried: max(length, 16).
void SizeDependence::MarkAxesMadeBy(const Node& node,
                                    const Inference& inference) {
  const auto input = FactsOf(node).FindInput(InputRole::kShape);
  if (!input || *input >= node.inputs.size()) return;
  const ValueId sizes = node.inputs[*input], out = node.outputs[0];
  if (sizes == kNoValue || out == kNoValue || !HasMarks(sizes)) return;
  const ValueType& type = inference.types[out];
  const auto& constant = inference.constants[sizes];
  const size_t count = constant ? static_cast<size_t>(constant->size()) : 0;
  if (!type.known || count > type.shape.size()) return;
  std::vector<bool>& axes = axes_[out];
  axes.resize(type.shape.size(), false);
  const size_t shift = axes.size() - count;
  for (size_t k = 0; k < count; ++k) {
    if (ElementDepends(sizes, k)) axes[k + shift] = true;
  }
}

}  // namespace rebasin
