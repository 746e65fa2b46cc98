// The parts of a graph while it is being read: values by name, and nodes in any
// order.

#ifndef REBASIN_ONNX_GRAPH_PARTS_H_
#define REBASIN_ONNX_GRAPH_PARTS_H_

#include <map>
#include <string>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

struct GraphParts {
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> outputs;
  std::map<std::string, ValueId, std::less<>> ids;  // of values of the file

  // The value with this name. Adds a computed value if the name is new. Returns
  // kNoValue for the empty name, which stands for an omitted input.
  ValueId Find(const std::string& name);
  // Sets the role and type of a value that is new, or has only been referred
  // to. Returns false if it is defined already.
  bool Define(Value value);

  // Adds values that are not in the file.
  ValueId AddConstant(Array array);
  ValueId AddComputed(const std::string& name);
};

inline ValueId GraphParts::Find(const std::string& name) {
  if (name.empty()) return kNoValue;
  const auto [it, added] =
      ids.emplace(name, static_cast<ValueId>(values.size()));
  if (added) {
    values.emplace_back();
    values.back().name = name;
  }
  return it->second;
}

inline bool GraphParts::Define(Value value) {
  Value& known = values[static_cast<size_t>(Find(value.name))];
  if (known.role != Role::kComputed) return false;
  known = std::move(value);
  return true;
}

inline ValueId GraphParts::AddComputed(const std::string& name) {
  const auto id = static_cast<ValueId>(values.size());
  values.emplace_back();
  values.back().name = name;
  return id;
}

inline ValueId GraphParts::AddConstant(Array array) {
  const ValueId id = AddComputed("constant" + std::to_string(values.size()));
  Value& value = values.back();
  value.role = Role::kConstant;
  value.kind = array.kind;
  value.shape = array.shape;
  value.declared = true;
  value.constant = std::move(array);
  return id;
}

}  // namespace rebasin

#endif  // REBASIN_ONNX_GRAPH_PARTS_H_
