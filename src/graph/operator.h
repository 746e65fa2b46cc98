// The definition of an operator: a rule for the shapes of its outputs, its
// evaluation in double, and the facts that other layers need (facts.h).
//
// The rule and the evaluation read the operator's inputs through an OpContext.
// During shape inference some inputs have known values (constants and shape
// arithmetic); during evaluation all inputs have.

#ifndef REBASIN_GRAPH_OPERATOR_H_
#define REBASIN_GRAPH_OPERATOR_H_

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/facts.h"
#include "rebasin/error.h"
#include "rebasin/graph.h"

namespace rebasin {

// The type of a value. It is unknown if the operator has no rule, or if the
// shape depends on data.
struct ValueType {
  bool known = false;
  Kind kind = Kind::kFloat;
  Shape shape = {};
};

inline ValueType KnownType(Kind kind, Shape shape) {
  return {.known = true, .kind = kind, .shape = std::move(shape)};
}

// `axis` in a value of this type, counted from the front. Nothing if the type
// is unknown or has no such axis.
std::optional<size_t> AxisIn(const ValueType& type, int64_t axis);
// The axis in the node's attribute "axis" or, if it is omitted, the operator's
// default or the first axis.
std::optional<size_t> AxisNamedBy(const Node& node, const ValueType& type);
// The default of the operator's attribute "axis".
std::optional<int64_t> DefaultAxis(std::string_view op);

// The number truncated to an integer and clamped to the range of int64.
int64_t ClampedInt(double value);
// The elements as integers, clamped to the range of int64. (Exporters write
// INT64_MAX for "to the end".)
std::vector<int64_t> IntsIn(const Array& array);

inline bool IsOneOf(std::string_view op,
                    std::initializer_list<std::string_view> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

// Keeps references to its arguments, which must outlive it.
class OpContext {
 public:
  // One type and one array for each input slot. A null array: the value is
  // unknown.
  OpContext(const Node& node, std::span<const ValueType* const> types,
            std::span<const Array* const> arrays)
      : node_(node), types_(types), arrays_(arrays) {}

  const Node& node() const { return node_; }
  size_t inputs() const { return types_.size(); }
  size_t outputs() const { return node_.outputs.size(); }
  // False for omitted optional inputs.
  bool Has(size_t input) const {
    return input < types_.size() && types_[input] != nullptr;
  }
  // Throws Error(kBadInput) if the input is omitted.
  const ValueType& type(size_t input) const;
  const Shape& shape(size_t input) const { return type(input).shape; }
  int64_t rank(size_t input) const {
    return static_cast<int64_t>(shape(input).size());
  }
  // Null if the input is omitted or its value is unknown.
  const Array* array(size_t input) const {
    return Has(input) ? arrays_[input] : nullptr;
  }
  // The value as integers, as by IntsIn; nothing if it is unknown.
  std::optional<std::vector<int64_t>> Ints(size_t input) const;

  // The attribute, or `otherwise` if it is omitted. Throws Error(kBadInput) if
  // it has another type.
  bool HasAttribute(std::string_view name) const;
  int64_t Int(std::string_view name, int64_t otherwise) const;
  double Float(std::string_view name, double otherwise) const;
  std::string String(std::string_view name, std::string otherwise) const;
  std::vector<int64_t> Ints(std::string_view name,
                            std::vector<int64_t> otherwise) const;

  // `axis` counted from the front. Throws Error(kBadInput) if it is outside of
  // [-rank, rank).
  int64_t NormalAxis(int64_t axis, int64_t rank) const;

  // Returns an Error(kBadInput) whose message starts with the node's name.
  Error Bad(const std::string& message) const;

 private:
  const Node& node_;
  std::span<const ValueType* const> types_;
  std::span<const Array* const> arrays_;
};

// Returns one type for each output. Called only if all input types are known. A
// type is unknown if it depends on unknown values. Throws Error(kBadInput) if
// inputs contradict each other.
using InferFunction = std::vector<ValueType> (*)(const OpContext&);

// Returns one array for each output; arrays of unused outputs may be empty.
// Called with all input arrays, and with the types that InferFunction returned.
using EvaluateFunction = std::vector<Array> (*)(const OpContext&,
                                                std::span<const ValueType>);

// An operator that takes more than a few steps for each element is not
// evaluated during shape inference, where a small file could ask for a lot of
// work.
inline constexpr bool kCostly = true;

inline constexpr size_t kAnyNumber = static_cast<size_t>(-1);

struct Operator {
  std::string_view name;
  size_t most_inputs;  // in any version of ONNX
  InferFunction infer;
  EvaluateFunction evaluate;
  Facts facts;
  bool costly = false;
  // The shape of the output is known only after a costly evaluation, so it
  // remains unknown during shape inference.
  bool shape_is_costly = false;
};

// Null for unknown operators.
const Operator* FindOperator(std::string_view name);

// For unknown operators, returns facts that state nothing.
const Facts& FactsOf(std::string_view op);
inline const Facts& FactsOf(const Node& node) { return FactsOf(node.op); }

inline bool Is(const Node& node, OperatorClass which) {
  return FactsOf(node).is == which;
}
inline InputRole RoleOfInput(const Node& node, size_t input) {
  return FactsOf(node).input(input).role;
}

// An axis from the facts of an input with `rank` axes, counted from the front.
// It is swapped with the other axis if the node's attributes say so. Requires
// rank >= 2.
size_t StatedAxis(const Node& node, const OperatorInput& input, int axis,
                  size_t rank);

// Whether the node normalises by running statistics: inputs 3 and 4 are a mean
// and a variance, after a scale and a bias.
inline bool HasStatistics(const Node& node) {
  return RoleOfInput(node, 3) == InputRole::kMean;
}

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPERATOR_H_
