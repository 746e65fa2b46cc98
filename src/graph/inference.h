// Infers the shapes of all values of a graph, and the values that are known
// without running it: constants, and shape arithmetic that exporters emit.

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

// An optional array that takes little memory if it is empty: a graph may have a
// million values, and most have no known array.
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
  // The number of nodes in conditional branches whose results are unknown,
  // usually because they do not fit these shapes. Such a branch may be one that
  // is not taken with these inputs.
  int64_t unknown_in_branches = 0;
};

// How many elements may still be computed and kept while shapes are inferred;
// 96 MiB in all. The limit is necessary because a node of a few bytes can ask
// for millions of elements. Shape arithmetic has a share of its own, so that
// tables cannot exhaust it.
struct FoldingBudget {
  int64_t shapes = int64_t{1} << 22;
  int64_t tables = int64_t{1} << 23;
};

// How to treat an If whose condition is known for these shapes.
enum class Conditions : uint8_t {
  // The condition may be different for other shapes, so both branches count. A
  // result has a known type if both branches have that type.
  kOpen,
  // Ignores the branch that is not taken, as a run with these shapes would.
  kDecided,
};

// Requires one shape for each input of the graph, in order, with all sizes
// given. Throws Error(kBadInput) if shapes contradict each other outside of
// conditional branches.
Inference Infer(const Graph& graph, std::span<const Shape> input_shapes,
                Conditions conditions = Conditions::kOpen);

// The same with Conditions::kDecided. Returns nothing if inference throws, if a
// value other than a constant has no elements, or if positions may exceed the
// axis in which they are looked up.
std::optional<Inference> TryInfer(const Graph& graph,
                                  const std::vector<Shape>& input_shapes);

// Shapes for the inputs of the graph. Stated sizes are kept; open sizes are as
// small as the graph permits, with as many conditional branches fitting as
// possible. If no choice works, throws the error of Infer.
std::vector<Shape> DefaultInputShapes(const Graph& graph);

// Further shapes for the inputs of a graph with open sizes. In each of them
// some open sizes are larger than in `usual`, and each open size is larger in
// one of them, as far as the graph permits. Usually one choice is enough. Empty
// if no size is open.
std::vector<std::vector<Shape>> OtherInputShapes(
    const Graph& graph, const std::vector<Shape>& usual);

// Shapes whose open sizes are several times as large as in `usual`, to find out
// what depends on them. Nothing if no size is open or no such shapes work.
std::optional<std::vector<Shape>> LargeInputShapes(
    const Graph& graph, const std::vector<Shape>& usual);

// Like DefaultInputShapes, but also shrinks stated sizes if the graph remains
// valid and its weights keep their shapes. For checks on small inputs that
// still exercise the whole graph.
std::vector<Shape> SmallInputShapes(const Graph& graph);

// Infers the outputs of one node from the types and constants of its inputs.
// `types` and `constants` are indexed by ValueId and grow as needed. For
// unknown operators, uses the declared types of the outputs (Value::declared).
// Arrays are taken from `budget`; if it is used up, values remain unknown.
void InferNode(const Node& node, const std::vector<Value>& values,
               Inference& inference, FoldingBudget& budget);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_INFERENCE_H_
