#include "graph/one_node.h"

#include <utility>

namespace rebasin::testing {

OneNode MakeGraph(const std::string& op, const std::vector<Arg>& args,
                  const Attributes& attributes, int outputs,
                  bool constant_integers) {
  OneNode result;
  std::vector<Value> values;
  Node node;
  node.op = op;
  node.attributes = attributes;
  for (const Arg& arg : args) {
    if (!arg) {
      node.inputs.push_back(kNoValue);
      continue;
    }
    Value value;
    value.name = "input" + std::to_string(values.size());
    const bool constant = constant_integers && arg->kind == Kind::kInteger;
    value.role = constant ? Role::kConstant : Role::kInput;
    value.kind = arg->kind;
    value.shape = arg->shape;
    value.declared = true;
    if (constant) {
      value.constant = *arg;
    } else {
      result.inputs.push_back(*arg);
      result.shapes.push_back(arg->shape);
    }
    node.inputs.push_back(static_cast<ValueId>(values.size()));
    values.push_back(std::move(value));
  }
  for (int o = 0; o < outputs; ++o) {
    node.outputs.push_back(static_cast<ValueId>(values.size()));
    values.emplace_back().name = "output" + std::to_string(o);
  }
  const std::vector<ValueId> ids = node.outputs;
  result.graph = Graph(std::move(values), {std::move(node)}, ids);
  return result;
}

}  // namespace rebasin::testing
