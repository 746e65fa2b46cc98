// A model's computation: operators of the ONNX vocabulary over named values.
//
// There is one dialect: the operators mean what opset 18 says they mean.
// Readers of older files rewrite older forms (an axes attribute that became an
// input, a Softmax that flattened) while reading. The model is the one that is
// evaluated: Dropout passes its input on, and BatchNormalization uses its
// running statistics, whatever mode a file was exported in.
//
// A graph holds no trained weights, only their names and shapes; the numbers
// come from a Checkpoint. Graphs are made by GraphBuilder (graph/builder.h in
// the sources), from .onnx files (rebasin/onnx.h), or by name from the
// built-in architectures (rebasin/zoo.h).

#ifndef REBASIN_GRAPH_H_
#define REBASIN_GRAPH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rebasin/tensor.h"

namespace rebasin {

// What a number stands for. Precision is of no interest to a graph: integers
// divide towards zero, booleans are 0 and 1, and all are held as double.
enum class Kind : uint8_t { kFloat, kInteger, kBoolean };

// A dense array, row-major. Copies share the elements, which never change.
struct Array {
  Kind kind = Kind::kFloat;
  Shape shape;
  std::shared_ptr<const std::vector<double>> elements;
  // Of a sequence of arrays, which some loops collect; then there are no
  // elements. Null: this is no sequence.
  std::shared_ptr<const std::vector<Array>> items = nullptr;

  int64_t size() const;
  const std::vector<double>& values() const { return *elements; }
};

// Requires as many values as the shape holds.
Array MakeArray(Kind kind, Shape shape, std::vector<double> values);

using Attribute =
    std::variant<int64_t, double, std::string, std::vector<int64_t>,
                 std::vector<double>, Array>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;  // an optional input left out

class Graph;

// A branch of an If: its nodes run only if the condition, a single boolean,
// has this value.
struct Guard {
  ValueId condition = kNoValue;
  bool when = true;

  bool operator==(const Guard&) const = default;
};

// Graphs are flat: the nodes of a conditional branch stand among the others,
// with guards. Where the branches meet again is the node If, whose inputs are
// the condition, the results of one branch (condition true) and those of the
// other. A Loop whose repetitions are not known beforehand keeps its body.
struct Node {
  std::string op;    // "Conv"; with its domain if that is not ONNX's own
  std::string name;  // for people; may be empty
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  Attributes attributes;
  // From the outermost branch to the innermost; all must hold.
  std::vector<Guard> guards = {};
  // Of a Loop. Its inputs are the number of the trip, the condition, what is
  // carried from trip to trip, and what it takes from around; its outputs the
  // condition, what is carried, and what is stacked trip by trip.
  std::shared_ptr<const Graph> body = nullptr;
};

enum class Role : uint8_t {
  kInput,     // of the graph
  kWeight,    // trained: permuted, matched and merged
  kConstant,  // not trained: part of the architecture
  kComputed,  // by a node
};

// A size that an input leaves open, such as the batch's.
inline constexpr int64_t kOpenSize = -1;

struct Value {
  std::string name;
  Role role = Role::kComputed;
  // Of inputs, weights and constants, which are declared. For computed values
  // (where `declared` says so) what the file claims, used only for operators
  // that this library does not know.
  Kind kind = Kind::kFloat;
  Shape shape;                       // inputs may have kOpenSize
  std::vector<std::string> symbols;  // inputs: names of open sizes, or empty
  bool declared = false;
  Array constant;  // of role kConstant
};

// Immutable once built.
class Graph {
 public:
  Graph() = default;
  // Sorts the nodes so that each follows those it depends on (stable). Throws
  // Error(kBadInput) if that is impossible (a cycle), a value is made twice or
  // by nobody, or an id is out of range.
  Graph(std::vector<Value> values, std::vector<Node> nodes,
        std::vector<ValueId> outputs);

  const std::vector<Value>& values() const { return values_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  const std::vector<ValueId>& weights() const { return weights_; }

  ValueId FindWeight(std::string_view name) const;  // kNoValue if absent

 private:
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> outputs_;
  std::vector<ValueId> weights_;
  std::map<std::string, ValueId, std::less<>> weight_names_;
};

// 'Conv "layer1.0.conv1"': how messages name a node.
std::string NodeText(const Node& node);

// One thing in which two graphs differ.
struct GraphDifference {
  std::string where;  // 'Relu "act1"', a node of A
  std::string what;   // "operator", 'attribute "axis"', "input 2"
  std::string a, b;   // what it is in each graph

  // 'Relu "act1": operator Relu in A, Tanh in B'.
  std::string text() const;
};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_H_
