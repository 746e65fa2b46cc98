#include "graph/operator.h"

#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "graph/ops/ops.h"

namespace rebasin {
namespace {

using Table = std::unordered_map<std::string_view, const Operator*>;

Table MakeTable() {
  Table table;
  for (const auto operators : AllOperators()) {
    for (const Operator& op : operators) table.emplace(op.name, &op);
  }
  return table;
}

template <typename T>
const T* FindAttribute(const OpContext& context, std::string_view name) {
  const auto& attributes = context.node().attributes;
  const auto found = attributes.find(name);
  if (found == attributes.end()) return nullptr;
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr) {
    throw context.Bad("attribute " + std::string(name) +
                      " has an unexpected type");
  }
  return value;
}

template <typename T>
T AttributeOr(const OpContext& context, std::string_view name, T otherwise) {
  const T* value = FindAttribute<T>(context, name);
  return value ? *value : std::move(otherwise);
}

}  // namespace

std::optional<size_t> AxisIn(const ValueType& type, int64_t axis) {
  const auto rank = static_cast<int64_t>(type.shape.size());
  if (!type.known || axis < -rank || axis >= rank) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

std::optional<int64_t> DefaultAxis(std::string_view op) {
  const AttributeDefault* usual = FactsOf(op).FindDefault("axis");
  if (usual == nullptr) return std::nullopt;
  return static_cast<int64_t>(*usual->number);
}

std::optional<size_t> AxisNamedBy(const Node& node, const ValueType& type) {
  const auto found = node.attributes.find("axis");
  if (found == node.attributes.end()) {
    return AxisIn(type, DefaultAxis(node.op).value_or(0));
  }
  const auto* given = std::get_if<int64_t>(&found->second);
  return given == nullptr ? std::nullopt : AxisIn(type, *given);
}

int64_t ClampedInt(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(value < kLimit)) return std::numeric_limits<int64_t>::max();
  if (value < -kLimit) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

std::vector<int64_t> IntsIn(const Array& array) {
  std::vector<int64_t> ints;
  ints.reserve(array.values().size());
  for (double value : array.values()) ints.push_back(ClampedInt(value));
  return ints;
}

const ValueType& OpContext::type(size_t input) const {
  if (!Has(input)) throw Bad("input " + std::to_string(input) + " is missing");
  return *types_[input];
}

std::optional<std::vector<int64_t>> OpContext::Ints(size_t input) const {
  const Array* known = array(input);
  return known == nullptr ? std::nullopt : std::optional(IntsIn(*known));
}

bool OpContext::HasAttribute(std::string_view name) const {
  return node_.attributes.contains(name);
}

int64_t OpContext::Int(std::string_view name, int64_t otherwise) const {
  return AttributeOr<int64_t>(*this, name, otherwise);
}

double OpContext::Float(std::string_view name, double otherwise) const {
  return AttributeOr<double>(*this, name, otherwise);
}

std::string OpContext::String(std::string_view name,
                              std::string otherwise) const {
  return AttributeOr<std::string>(*this, name, std::move(otherwise));
}

std::vector<int64_t> OpContext::Ints(std::string_view name,
                                     std::vector<int64_t> otherwise) const {
  return AttributeOr<std::vector<int64_t>>(*this, name, std::move(otherwise));
}

int64_t OpContext::NormalAxis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank) {
    throw Bad("axis " + std::to_string(axis) + " is out of range for rank " +
              std::to_string(rank));
  }
  return axis < 0 ? axis + rank : axis;
}

Error OpContext::Bad(const std::string& message) const {
  return Error(ErrorCode::kBadInput, NodeText(node_) + ": " + message);
}

size_t StatedAxis(const Node& node, const OperatorInput& input, int axis,
                  size_t rank) {
  const auto found = input.swapped_by.empty()
                         ? node.attributes.end()
                         : node.attributes.find(input.swapped_by);
  if (found != node.attributes.end()) {
    const auto* swapped = std::get_if<int64_t>(&found->second);
    if (swapped != nullptr && *swapped != 0) axis = 1 - axis;
  }
  return axis < 0 ? rank - static_cast<size_t>(-axis)
                  : static_cast<size_t>(axis);
}

double NoMultiplications(const Shape&, const Shape&, const Shape&) { return 0; }

const Operator* FindOperator(std::string_view name) {
  static const Table table = MakeTable();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

const Facts& FactsOf(std::string_view op) {
  static constexpr Facts kNothing;
  const Operator* found = FindOperator(op);
  return found == nullptr ? kNothing : found->facts;
}

}  // namespace rebasin
