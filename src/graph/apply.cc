#include "graph/apply.h"

#include <algorithm>
#include <string>

#include "base/checked.h"

namespace rebasin {
namespace {

// Limit of the elements of one array: more than any real model has, but not so
// many that the machine would swap for hours before it fails.
constexpr int64_t kLargestArray = int64_t{1} << 32;

constexpr size_t kLargestRank = 64;

void CheckShape(const OpContext& context, const Shape& shape) {
  if (shape.size() > kLargestRank) throw context.Bad("its rank is too high");
  for (int64_t size : shape) {
    if (size < 0) throw context.Bad("its output has a negative size");
  }
  if (!CheckedProduct(shape)) throw context.Bad("its output is too large");
}

Error CannotRun(const OpContext& context, const std::string& why) {
  return Error(ErrorCode::kUnsupported,
               "cannot run " + NodeText(context.node()) + ": " + why);
}

void CheckOutput(const OpContext& context, const ValueType& type) {
  if (!type.known) {
    throw CannotRun(context, "the shape of its output is unknown");
  }
  if (*CheckedProduct(type.shape) > kLargestArray) {
    throw CannotRun(context,
                    "an output of " + ShapeText(type.shape) + " is too large");
  }
}

}  // namespace

std::vector<ValueType> InferOutputs(const Operator& op,
                                    const OpContext& context) {
  std::vector<ValueType> types = op.infer(context);
  // Operators may have optional outputs. Outputs beyond those that the operator
  // has are unknown.
  if (types.size() < context.outputs()) types.resize(context.outputs());
  for (const ValueType& type : types) {
    if (type.known) CheckShape(context, type.shape);
  }
  return types;
}

void CheckRunnable(const OpContext& context, std::span<const ValueType> types) {
  const std::vector<ValueId>& outputs = context.node().outputs;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o] != kNoValue) CheckOutput(context, types[o]);
  }
}

std::vector<Array> EvaluateOutputs(const Operator& op, const OpContext& context,
                                   std::span<const ValueType> types) {
  CheckRunnable(context, types);
  const bool empty = std::all_of(
      types.begin(), types.end(),
      [](const ValueType& type) { return *CheckedProduct(type.shape) == 0; });
  if (!empty) return op.evaluate(context, types);
  // An empty output needs no evaluation. So operators need not handle huge
  // sizes next to a size of zero.
  std::vector<Array> arrays;
  for (const ValueType& type : types) {
    arrays.push_back(MakeArray(type.kind, type.shape, {}));
  }
  return arrays;
}

std::vector<Array> ApplyOperator(const Operator& op, const Node& node,
                                 const std::vector<const Array*>& inputs) {
  std::vector<ValueType> types(inputs.size());
  std::vector<const ValueType*> type_list(inputs.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    types[i] = KnownType(inputs[i]->kind, inputs[i]->shape);
    type_list[i] = &types[i];
  }
  const OpContext context(node, type_list, inputs);
  // With all values known, shapes that depend on data are known, too.
  return EvaluateOutputs(op, context, InferOutputs(op, context));
}

}  // namespace rebasin
