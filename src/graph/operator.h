// What an operator is to a graph: a rule for the shapes of its outputs, its
// meaning, in double, and the facts that other layers ask for (facts.h).
//
// The rule and the meaning see the operator's inputs through one window, the
// OpContext. While shapes are inferred, some inputs have known values
// (constants, and shape arithmetic on them); when a node is evaluated, all
// have.

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

// The type of a value. Not known: an operator without a rule made it, or its
// shape depends on data.
struct ValueType {
  bool known = false;
  Kind kind = Kind::kFloat;
  Shape shape = {};
};

inline ValueType KnownType(Kind kind, Shape shape) {
  return {.known = true, .kind = kind, .shape = std::move(shape)};
}

// `axis`, counted from the front if it is negative, in a value of this type;
// nothing if the type is not known or has no such axis.
std::optional<size_t> AxisIn(const ValueType& type, int64_t axis);
// The axis that a node names by its attribute "axis", or by leaving it out: the
// operator's usual one, or the first.
std::optional<size_t> AxisNamedBy(const Node& node, const ValueType& type);
// The attribute "axis" that the operator takes if a node leaves it out.
std::optional<int64_t> UsualAxis(std::string_view op);

// The number without its fraction, clamped to the range of int64.
int64_t ClampedInt(double value);
// The elements as integers, those beyond the range of int64 clamped (exporters
// write INT64_MAX for "to the end").
std::vector<int64_t> IntsIn(const Array& array);

inline bool IsOneOf(std::string_view op,
                    std::initializer_list<std::string_view> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

// Refers to the node and to the lists given, which must outlive it.
class OpContext {
 public:
  // One type and one array (null: value not known) for each input slot.
  OpContext(const Node& node, std::span<const ValueType* const> types,
            std::span<const Array* const> arrays)
      : node_(node), types_(types), arrays_(arrays) {}

  const Node& node() const { return node_; }
  size_t inputs() const { return types_.size(); }
  size_t outputs() const { return node_.outputs.size(); }
  // False for optional inputs left out.
  bool Has(size_t input) const {
    return input < types_.size() && types_[input] != nullptr;
  }
  // Throws Error(kBadInput) if the input is left out.
  const ValueType& type(size_t input) const;
  const Shape& shape(size_t input) const { return type(input).shape; }
  int64_t rank(size_t input) const {
    return static_cast<int64_t>(shape(input).size());
  }
  // Null if the input is left out or its value is not known.
  const Array* array(size_t input) const {
    return Has(input) ? arrays_[input] : nullptr;
  }
  // IntsIn the value; nothing if it is not known.
  std::optional<std::vector<int64_t>> Ints(size_t input) const;

  // Attributes. Throw Error(kBadInput) if present with another type.
  bool HasAttribute(std::string_view name) const;
  int64_t Int(std::string_view name, int64_t otherwise) const;
  double Float(std::string_view name, double otherwise) const;
  std::string String(std::string_view name, std::string otherwise) const;
  std::vector<int64_t> Ints(std::string_view name,
                            std::vector<int64_t> otherwise) const;

  // `axis` counted from the front. Throws Error(kBadInput) if it is not in
  // [-rank, rank).
  int64_t NormalAxis(int64_t axis, int64_t rank) const;

  // An Error(kBadInput) whose message starts with the node's name.
  Error Bad(const std::string& message) const;

 private:
  const Node& node_;
  std::span<const ValueType* const> types_;
  std::span<const Array* const> arrays_;
};

// One type for each output. Called only with known input types. Returns types
// that are not known where shapes depend on values that are not; throws
// Error(kBadInput) where inputs contradict each other.
using InferFunction = std::vector<ValueType> (*)(const OpContext&);

// One array for each output (those nobody uses may be empty). Called with all
// arrays known, and with the types that InferFunction gave.
using EvaluateFunction = std::vector<Array> (*)(const OpContext&,
                                                std::span<const ValueType>);

// Work that is more than a few steps for each element: such operators are not
// evaluated while shapes are inferred, where a small file could ask for much.
inline constexpr bool kCostly = true;

inline constexpr size_t kAnyNumber = static_cast<size_t>(-1);

struct Operator {
  std::string_view name;
  size_t most_inputs;  // in any version of ONNX
  InferFunction infer;
  EvaluateFunction evaluate;
  Facts facts;
  bool costly = false;
  // The shape of the output is known only once it is computed, at some cost:
  // not while shapes are inferred.
  bool shape_is_costly = false;
};

// Null for operators that this library does not know.
const Operator* FindOperator(std::string_view name);

// Nothing is said of operators that this library does not know.
const Facts& FactsOf(std::string_view op);
inline const Facts& FactsOf(const Node& node) { return FactsOf(node.op); }

inline bool Is(const Node& node, OperatorClass which) {
  return FactsOf(node).is == which;
}
inline InputRole RoleOfInput(const Node& node, size_t input) {
  return FactsOf(node).input(input).role;
}

// An axis that the facts of an input state, of an input with `rank` axes:
// counted from the front, and swapped with the other one where the node says
// so. Requires 2 <= rank.
size_t StatedAxis(const Node& node, const OperatorInput& input, int axis,
                  size_t rank);

// Whether the node normalises by running statistics, which are inputs 3 and 4
// (a mean and a variance) behind a scale and a bias.
inline bool HasStatistics(const Node& node) {
  return RoleOfInput(node, 3) == InputRole::kMean;
}

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPERATOR_H_
