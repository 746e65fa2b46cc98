#include "graph/value_numbers.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "graph/canonical_attributes.h"
#include "graph/operator.h"
#include "graph/same_array.h"

namespace rebasin {
namespace {

void Append(std::string& key, std::string_view text) {
  key += std::to_string(text.size());
  key += ':';
  key += text;
}

template <typename T>
void AppendNumbers(std::string& key, const std::vector<T>& list) {
  for (T number : list) key += ',' + std::to_string(number);
}

// Adding 0 makes -0 and 0 the same number.
std::string FloatKey(double number) {
  const float rounded = static_cast<float>(number) + 0.0f;
  return ',' + std::to_string(std::bit_cast<uint32_t>(rounded));
}

// The key of an attribute that is not an array.
std::string PlainKey(const Attribute& attribute) {
  std::string key;
  if (const auto* number = std::get_if<double>(&attribute)) {
    return FloatKey(*number);
  }
  if (const auto* list = std::get_if<std::vector<double>>(&attribute)) {
    for (double number : *list) key += FloatKey(number);
    return key;
  }
  if (const auto* text = std::get_if<std::string>(&attribute)) {
    Append(key, *text);
    return key;
  }
  if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute)) {
    AppendNumbers(key, *list);
    return key;
  }
  return ',' + std::to_string(std::get<int64_t>(attribute));
}

}  // namespace

bool ReturnsFirstInput(const Node& node) {
  return FactsOf(node).keeps().output_is_input && !node.inputs.empty() &&
         node.inputs[0] != kNoValue && !node.outputs.empty();
}

bool IsCommutative(const Node& node) {
  return FactsOf(node).commutes == Commutes::kYes;
}

int ValueNumbers::Intern(const std::string& key) {
  const auto [found, added] = keys_.emplace(key, next_);
  if (added) ++next_;
  return found->second;
}

int ValueNumbers::InternArray(const Array& array) {
  const uint64_t hash = ArrayHash(array);
  const auto [begin, end] = arrays_.equal_range(hash);
  for (auto found = begin; found != end; ++found) {
    if (SameArray(found->second.first, array)) return found->second.second;
  }
  arrays_.emplace(hash, std::pair(array, next_));
  return next_++;
}

int ValueNumbers::NumberLeaf(const Value& value) {
  const std::string key = leaf_key_ ? leaf_key_(value) : "";
  if (!key.empty()) return Intern("leaf " + key);
  return value.role == Role::kWeight ? Intern("weight " + value.name)
                                     : InternArray(value.constant);
}

std::string ValueNumbers::AttributesKey(const Node& node) {
  std::string key;
  for (const auto& [name, attribute] : CanonicalAttributes(node)) {
    Append(key, name);
    key += '=' + std::to_string(attribute.index());
    const auto* array = std::get_if<Array>(&attribute);
    key += array == nullptr ? PlainKey(attribute)
                            : ',' + std::to_string(InternArray(*array));
  }
  return key;
}

std::string ValueNumbers::NodeKey(const Node& node,
                                  const std::vector<int>& numbers) {
  std::vector<int> inputs;
  for (ValueId id : node.inputs) {
    inputs.push_back(id == kNoValue ? -1 : numbers[static_cast<size_t>(id)]);
  }
  while (!inputs.empty() && inputs.back() == -1) inputs.pop_back();
  if (IsCommutative(node)) std::sort(inputs.begin(), inputs.end());
  std::string key = "node ";
  Append(key, node.op);
  AppendNumbers(key, inputs);
  return key + ' ' + AttributesKey(node);
}

std::vector<int> ValueNumbers::Number(const Graph& graph,
                                      const std::vector<std::string>& inputs) {
  std::vector<int> numbers(graph.values().size(), -1);
  for (size_t id = 0; id < numbers.size(); ++id) {
    const Value& value = graph.values()[id];
    if (value.role == Role::kWeight || value.role == Role::kConstant) {
      numbers[id] = NumberLeaf(value);
    }
  }
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const Value& value = graph.values()[static_cast<size_t>(graph.inputs()[i])];
    numbers[static_cast<size_t>(graph.inputs()[i])] =
        Intern("input " + std::to_string(static_cast<int>(value.kind)) + " " +
               std::to_string(value.shape.size()) + " " + inputs[i]);
  }
  for (const Node& node : graph.nodes()) {
    const std::string key = NodeKey(node, numbers);
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      if (node.outputs[o] == kNoValue) continue;
      numbers[static_cast<size_t>(node.outputs[o])] =
          o == 0 && ReturnsFirstInput(node)
              ? numbers[static_cast<size_t>(node.inputs[0])]
              : Intern(key + '#' + std::to_string(o));
    }
  }
  return numbers;
}

}  // namespace rebasin
