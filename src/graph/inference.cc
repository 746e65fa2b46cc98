#include "graph/inference.h"

#include <algorithm>
#include <cassert>

#include "base/checked.h"
#include "graph/apply.h"
#include "graph/operator.h"

namespace rebasin {
namespace {

// Limit of the arrays that are computed during inference, which are shape
// arithmetic and small tables. Larger results are computed when the graph is
// run.
constexpr int64_t kLargestFolded = int64_t{1} << 22;
// Arrays up to this size count as shape arithmetic.
constexpr int64_t kLargestShapeFolded = int64_t{1} << 12;

// The inputs of a node in the form that OpContext takes.
struct Inputs {
  std::vector<const ValueType*> types;
  std::vector<const Array*> arrays;
  bool types_known = true;
  bool arrays_known = true;
};

Inputs GatherInputs(const Node& node, const Inference& inference) {
  Inputs inputs;
  for (ValueId id : node.inputs) {
    if (id == kNoValue) {
      inputs.types.push_back(nullptr);
      inputs.arrays.push_back(nullptr);
      continue;
    }
    const auto& constant = inference.constants[id];
    inputs.types.push_back(&inference.types[id]);
    inputs.arrays.push_back(constant ? &*constant : nullptr);
    inputs.types_known &= inference.types[id].known;
    inputs.arrays_known &= constant.has_value();
  }
  return inputs;
}

ValueType DeclaredType(const Value& value) {
  const bool open = std::any_of(value.shape.begin(), value.shape.end(),
                                [](int64_t size) { return size < 0; });
  if (!value.declared || open) return {};
  return KnownType(value.kind, value.shape);
}

bool IsSmall(std::span<const ValueType> types) {
  return std::all_of(types.begin(), types.end(), [](const ValueType& type) {
    return type.known && *CheckedProduct(type.shape) <= kLargestFolded;
  });
}

bool Reserve(std::span<const ValueType> types, FoldingBudget& budget) {
  int64_t elements = 0;
  for (const ValueType& type : types) elements += *CheckedProduct(type.shape);
  int64_t& left =
      elements <= kLargestShapeFolded ? budget.shapes : budget.tables;
  if (elements > left) return false;
  left -= elements;
  return true;
}

void Store(const Node& node, std::vector<ValueType> types,
           std::vector<Array> arrays, Inference& inference) {
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    const ValueId id = node.outputs[o];
    if (id == kNoValue) continue;
    inference.types[id] = std::move(types[o]);
    if (o < arrays.size() && arrays[o].elements) {
      inference.constants[id] = std::move(arrays[o]);
    }
  }
}

}  // namespace

void InferNode(const Node& node, const std::vector<Value>& values,
               Inference& inference, FoldingBudget& budget) {
  inference.types.resize(values.size());
  inference.constants.resize(values.size());
  const Operator* op = FindOperator(node.op);
  const Inputs inputs = GatherInputs(node, inference);
  std::vector<ValueType> types(node.outputs.size());
  std::vector<Array> arrays;
  const OpContext context(node, inputs.types, inputs.arrays);
  if (op != nullptr && inputs.types_known && !op->shape_is_costly) {
    types = InferOutputs(*op, context);
    const bool ready =
        inputs.arrays_known || Is(node, OperatorClass::kShapeOnly);
    if (ready && !op->costly && IsSmall(types) && Reserve(types, budget)) {
      arrays = EvaluateOutputs(*op, context, types);
    }
  } else if (op == nullptr) {
    for (size_t o = 0; o < types.size(); ++o) {
      const ValueId id = node.outputs[o];
      if (id != kNoValue) types[o] = DeclaredType(values[id]);
    }
  }
  Store(node, std::move(types), std::move(arrays), inference);
}

namespace {

// Infers a node of a conditional branch. The branch may not be taken, so it
// need not fit.
void InferGuarded(const Node& node, const std::vector<Value>& values,
                  Inference& inference, FoldingBudget& budget) {
  try {
    InferNode(node, values, inference, budget);
  } catch (const Error&) {
  }
  const bool known = std::all_of(
      node.outputs.begin(), node.outputs.end(),
      [&](ValueId id) { return id == kNoValue || inference.types[id].known; });
  if (!known) ++inference.unknown_in_branches;
}

// Nothing if the condition is unknown, or not a single boolean.
std::optional<bool> ConditionOf(ValueId id, const Inference& inference) {
  const auto& array = inference.constants[id];
  if (!array || array->size() != 1) return std::nullopt;
  return array->values()[0] != 0;
}

// Copies the results of the branch that is taken. Returns false if it is
// unknown which one is.
bool InferTaken(const Node& node, Inference& inference) {
  const size_t count = node.outputs.size();
  if (node.op != "If" || node.inputs.size() != 1 + 2 * count) return false;
  const auto condition = ConditionOf(node.inputs[0], inference);
  if (!condition) return false;
  for (size_t o = 0; o < count; ++o) {
    const ValueId from = node.inputs[1 + o + (*condition ? 0 : count)];
    if (node.outputs[o] == kNoValue) continue;
    inference.types[node.outputs[o]] = inference.types[from];
    inference.constants[node.outputs[o]] = inference.constants[from];
  }
  return true;
}

// Infers a node with Conditions::kDecided.
void InferDecided(const Node& node, const std::vector<Value>& values,
                  Inference& inference, FoldingBudget& budget) {
  bool surely_runs = true;
  for (const Guard& guard : node.guards) {
    const auto condition = ConditionOf(guard.condition, inference);
    if (condition == !guard.when) return;
    surely_runs &= condition.has_value();
  }
  if (InferTaken(node, inference)) return;
  const auto infer = surely_runs ? InferNode : InferGuarded;
  infer(node, values, inference, budget);
}

void InferOpen(const Node& node, const std::vector<Value>& values,
               Inference& inference, FoldingBudget& budget) {
  const auto infer = node.guards.empty() ? InferNode : InferGuarded;
  infer(node, values, inference, budget);
}

}  // namespace

Inference Infer(const Graph& graph, std::span<const Shape> input_shapes,
                Conditions conditions) {
  assert(input_shapes.size() == graph.inputs().size());
  const auto& values = graph.values();
  Inference inference;
  inference.types.resize(values.size());
  inference.constants.resize(values.size());
  for (size_t id = 0; id < values.size(); ++id) {
    const Value& value = values[id];
    if (value.role == Role::kComputed) continue;
    inference.types[id] = KnownType(value.kind, value.shape);
    if (value.role == Role::kConstant) inference.constants[id] = value.constant;
  }
  for (size_t i = 0; i < input_shapes.size(); ++i) {
    inference.types[graph.inputs()[i]].shape = input_shapes[i];
  }
  FoldingBudget budget;
  const auto infer = conditions == Conditions::kOpen ? InferOpen : InferDecided;
  for (const Node& node : graph.nodes()) {
    infer(node, values, inference, budget);
  }
  return inference;
}

}  // namespace rebasin
