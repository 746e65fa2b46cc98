// A model's computation: ONNX operators over named values.
//
//   const rebasin::Graph graph = rebasin::ZooGraph("resnet20");
//   for (const rebasin::Node& node : graph.nodes()) {
//     std::cout << rebasin::NodeText(node) << "\n";
//   }
//   const rebasin::Discovery found = rebasin::Discover(graph);
//
// Operators mean what ONNX opset 18 defines. Older files are rewritten to opset
// 18 when they are read (an axes attribute becomes an input, for example). The
// graph describes inference: Dropout passes its input on, and
// BatchNormalization uses its running statistics, even if the file was exported
// in training mode.
//
// A graph holds no trained weights, only their names and shapes; the numbers
// are in a Checkpoint. OpenModel reads graphs from .onnx files
// (rebasin/model.h), and ZooGraph makes those of built-in architectures
// (rebasin/zoo.h).

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

// The kind of a number. Precision does not matter to a graph: all numbers are
// held as double. Integer division truncates towards zero; booleans are 0 and
// 1.
enum class Kind : uint8_t { kFloat, kInteger, kBoolean };

// A dense array, row-major, or a sequence of arrays. Immutable; copies share
// the elements.
struct Array {
  Kind kind = Kind::kFloat;
  // The length of each axis; empty for a single number.
  Shape shape;
  // Null only for a sequence.
  std::shared_ptr<const std::vector<double>> elements;
  // The items of a sequence, as some loops collect them; null for arrays.
  std::shared_ptr<const std::vector<Array>> items = nullptr;

  // The number of elements.
  int64_t size() const;
  // Requires that this is not a sequence.
  const std::vector<double>& values() const { return *elements; }
};

// Returns an array that owns `values`. Requires as many values as the shape has
// elements.
Array MakeArray(Kind kind, Shape shape, std::vector<double> values);

// An attribute of a node, with the types that ONNX uses.
using Attribute =
    std::variant<int64_t, double, std::string, std::vector<int64_t>,
                 std::vector<double>, Array>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

// Index of a value in Graph::values().
using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;  // an optional input that is left out

class Graph;

// A branch of an If: a node with this guard runs only if the condition, a
// single boolean, equals `when`.
struct Guard {
  // A value with one boolean, computed before the guarded nodes.
  ValueId condition = kNoValue;
  bool when = true;

  bool operator==(const Guard&) const = default;
};

// An operator with its inputs and outputs. Graphs are flat: the nodes of
// conditional branches are nodes like all others, but have guards. An If node
// joins the branches; its inputs are the condition, the results of the true
// branch, and those of the false branch. A Loop with an unknown number of
// iterations keeps its body as a graph.
struct Node {
  // "Conv"; with the domain in front if it is not that of ONNX.
  std::string op;
  std::string name;  // for messages; may be empty
  // Indices of values; kNoValue for optional inputs that are left out.
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  // By name, as in ONNX; missing attributes have their defaults.
  Attributes attributes;
  // From the outermost branch to the innermost; all must hold.
  std::vector<Guard> guards = {};
  // Only of a Loop. The inputs of the body are the iteration number, the
  // condition, the loop-carried values and the values captured from outside;
  // its outputs are the condition, the loop-carried values and the values
  // stacked over iterations.
  std::shared_ptr<const Graph> body = nullptr;
};

// Where a value comes from.
enum class Role : uint8_t {
  kInput,     // of the graph, given at each run
  kWeight,    // trained: permuted, matched and merged
  kConstant,  // not trained: part of the architecture
  kComputed,  // output of a node
};

// The size of an input's axis that may vary, such as the batch size.
inline constexpr int64_t kOpenSize = -1;

// A value: an input, weight, constant, or output of a node.
struct Value {
  std::string name;  // weights: the tensor in the Checkpoint
  Role role = Role::kComputed;
  // Inputs, weights and constants always have a kind and a shape. Computed
  // values have them only if `declared` is true; they are then what the file
  // claims, and are used only for operators that this library does not know.
  Kind kind = Kind::kFloat;
  // Inputs may have kOpenSize.
  Shape shape;
  // Only for inputs: a name for each open size, or empty.
  std::vector<std::string> symbols;
  bool declared = false;
  Array constant;  // only for constants
};

// A directed acyclic graph of nodes. Immutable, so it is safe to read from any
// number of threads. Usually held by std::shared_ptr<const Graph>.
class Graph {
 public:
  // An empty graph.
  Graph() = default;
  // Sorts the nodes, stably, so that each follows the nodes that it depends on.
  // Throws Error(kBadInput) if there is a cycle, if a value is computed twice
  // or never, or if an id is out of range.
  Graph(std::vector<Value> values, std::vector<Node> nodes,
        std::vector<ValueId> outputs);

  // All values; ValueId is the index.
  const std::vector<Value>& values() const { return values_; }
  // In an order in which they can run.
  const std::vector<Node>& nodes() const { return nodes_; }
  // Ids of the values with these roles, and of the outputs.
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  const std::vector<ValueId>& weights() const { return weights_; }

  // Returns the id of the weight with this name, or kNoValue.
  ValueId FindWeight(std::string_view name) const;

 private:
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> outputs_;
  std::vector<ValueId> weights_;
  std::map<std::string, ValueId, std::less<>> weight_names_;
};

// Returns the node as messages name it: 'Conv "layer1.0.conv1"'.
std::string NodeText(const Node& node);

// One difference between two graphs.
struct GraphDifference {
  std::string where;  // a node of A: 'Relu "act1"'
  std::string what;   // "operator", 'attribute "axis"', "input 2"
  std::string a, b;   // the two values that differ, as text

  // Returns one line: 'Relu "act1": operator Relu in A, Tanh in B'.
  std::string text() const;
};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_H_
