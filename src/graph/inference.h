// The shapes of all values of a graph, and the values that are known without
// running it: constants, and the shape arithmetic that exporters emit.

#ifndef REBASIN_GRAPH_INFERENCE_H_
#define REBASIN_GRAPH_INFERENCE_H_

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graph/operator.h"
#include "rebasin/graph.h"

namespace rebasin {

// An array, or none. Most values have none, and a graph may have a million
// values: so this takes little room.
class MaybeArray {
 public:
  MaybeArray() = default;
  MaybeArray(std::nullopt_t) {}
  MaybeArray(Array array)
      : array_(std::make_shared<const Array>(std::move(array))) {}
  MaybeArray(std::optional<Array> array) {
    if (array) array_ = std::make_shared<const Array>(*std::move(array));
  }

  bool has_value() const { return array_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const Array& operator*() const { return *array_; }
  const Array* operator->() const { return array_.get(); }

 private:
  std::shared_ptr<const Array> array_;
};

struct Inference {
  std::vector<ValueType> types;       // by ValueId
  std::vector<MaybeArray> constants;  // by ValueId
  // Nodes of conditional branches whose results are not known, most because
  // they do not fit these shapes. Such a branch may be one that is not taken
  // with these inputs.
  int64_t unknown_in_branches = 0;
};

// How many elements may still be computed and kept, because a node of a few
// bytes can ask for millions: 96 MiB in all. Shape arithmetic counts apart, so
// that tables cannot use up its share.
struct FoldingRoom {
  int64_t shapes = int64_t{1} << 22;
  int64_t tables = int64_t{1} << 23;
};

// What becomes of an If whose condition is known with these shapes.
enum class Conditions : uint8_t {
  // It may be otherwise with other shapes: both branches count. A result has
  // a known type if both have that type.
  kOpen,
  // The other branch is not looked at: what a run with these shapes will meet.
  kDecided,
};

// With one shape for each input of the graph, in order, all sizes given.
// Throws Error(kBadInput) where shapes contradict each other, unless in a
// branch that need not be taken.
Inference Infer(const Graph& graph, std::span<const Shape> input_shapes,
                Conditions conditions = Conditions::kOpen);

// The same with conditions decided; nothing if it throws, if a value (other
// than a constant) has no elements, or if positions lead beyond what they are
// looked up in.
std::optional<Inference> TryInfer(const Graph& graph,
                                  const std::vector<Shape>& input_shapes);

// Shapes for the inputs of the graph: sizes that they state are kept, open
// ones chosen as small as the graph permits, with as many conditional branches
// fitting as possible. Throws what Infer throws if none
// of the choices works.
std::vector<Shape> DefaultInputShapes(const Graph& graph);

// Further shapes for the inputs of a graph that leaves sizes open: in each of
// them some open sizes are larger than in `usual`, and every open size is so in
// one of them, as far as shapes are found that the graph permits. One choice is
// enough as a rule. Empty if no size is open.
std::vector<std::vector<Shape>> OtherInputShapes(
    const Graph& graph, const std::vector<Shape>& usual);

// Shapes with open sizes several times as large as in `usual`, for finding out
// what depends on them. Nothing if no size is open or none is possible.
std::optional<std::vector<Shape>> LargeInputShapes(
    const Graph& graph, const std::vector<Shape>& usual);

// The same as DefaultInputShapes, but sizes that are stated are shrunk too
// where the graph still makes sense and its weights keep their shapes: small
// inputs that exercise everything, for checking.
std::vector<Shape> SmallInputShapes(const Graph& graph);

// Infers the outputs of one node, given the types and constants of its inputs.
// `types` and `constants` are indexed by ValueId and grow as needed; what the
// node's outputs declare (Value::declared) is used for unknown operators. Takes
// from `room`; where there is none, values stay unknown.
void InferNode(const Node& node, const std::vector<Value>& values,
               Inference& inference, FoldingRoom& room);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_INFERENCE_H_
