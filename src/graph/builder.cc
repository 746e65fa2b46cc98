#include "graph/builder.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace rebasin {
namespace {

constexpr int64_t kSizeWhileBuilding = 2;

}  // namespace

ValueId GraphBuilder::AddValue(Value value) {
  const ValueId id = static_cast<ValueId>(values_.size());
  ValueType type;
  if (value.role != Role::kComputed) {
    type = KnownType(value.kind, value.shape);
    std::replace(type.shape.begin(), type.shape.end(), kOpenSize,
                 kSizeWhileBuilding);
  }
  inference_.types.push_back(std::move(type));
  inference_.constants.emplace_back();
  if (value.role == Role::kConstant) inference_.constants[id] = value.constant;
  values_.push_back(std::move(value));
  return id;
}

ValueId GraphBuilder::Input(std::string name, Shape shape, Kind kind,
                            std::vector<std::string> symbols) {
  return AddValue({.name = std::move(name),
                   .role = Role::kInput,
                   .kind = kind,
                   .shape = std::move(shape),
                   .symbols = std::move(symbols),
                   .declared = true,
                   .constant = {}});
}

ValueId GraphBuilder::Weight(const std::string& name, Shape shape) {
  const auto found = weights_.find(name);
  if (found != weights_.end()) {
    assert(values_[found->second].shape == shape);
    return found->second;
  }
  const ValueId id = AddValue({.name = name,
                               .role = Role::kWeight,
                               .shape = std::move(shape),
                               .symbols = {},
                               .declared = true,
                               .constant = {}});
  weights_.emplace(name, id);
  return id;
}

ValueId GraphBuilder::Constant(Array array) {
  Value value;
  value.name = "constant" + std::to_string(values_.size());
  value.role = Role::kConstant;
  value.kind = array.kind;
  value.shape = array.shape;
  value.declared = true;
  value.constant = std::move(array);
  return AddValue(std::move(value));
}

ValueId GraphBuilder::Ints(std::vector<int64_t> values) {
  std::vector<double> elements(values.begin(), values.end());
  const int64_t size = static_cast<int64_t>(values.size());
  return Constant(MakeArray(Kind::kInteger, {size}, std::move(elements)));
}

ValueId GraphBuilder::Int(int64_t value) {
  return Constant(MakeArray(Kind::kInteger, {}, {static_cast<double>(value)}));
}

ValueId GraphBuilder::Float(double value) {
  return Constant(MakeArray(Kind::kFloat, {}, {value}));
}

ValueId GraphBuilder::Add(std::string op, std::vector<ValueId> inputs,
                          Attributes attributes) {
  return AddMany(std::move(op), std::move(inputs), std::move(attributes), 1)[0];
}

std::vector<ValueId> GraphBuilder::AddMany(std::string op,
                                           std::vector<ValueId> inputs,
                                           Attributes attributes, int outputs) {
  Node node;
  node.name = scope_.empty() ? op : scope_ + "/" + op;
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  for (int o = 0; o < outputs; ++o) {
    Value value;
    value.name = node.name + "_" + std::to_string(values_.size());
    node.outputs.push_back(AddValue(std::move(value)));
  }
  // The default limits suffice: the graph comes from code, not from a file.
  FoldingBudget budget;
  InferNode(node, values_, inference_, budget);
  nodes_.push_back(std::move(node));
  return nodes_.back().outputs;
}

void GraphBuilder::Output(ValueId value, std::string name) {
  values_[value].name = std::move(name);
  outputs_.push_back(value);
}

Graph GraphBuilder::Build() {
  return Graph(std::move(values_), std::move(nodes_), std::move(outputs_));
}

}  // namespace rebasin
