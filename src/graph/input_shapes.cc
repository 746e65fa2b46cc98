// Sizes for inputs, found by trying: shapes that do not fit make Infer throw,
// and windows that shrink an image to nothing leave a size 0.

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "graph/inference.h"

namespace rebasin {
namespace {

constexpr int64_t kBatch = 2;
constexpr int64_t kOpenSizes[] = {4, 8, 16, 32, 64, 128, 224, 256, 384, 512};

// Constants may be empty: exporters write such lists for inputs left out.
bool HasEmptyValue(const Inference& inference) {
  for (size_t id = 0; id < inference.types.size(); ++id) {
    const Shape& shape = inference.types[id].shape;
    const bool empty = std::count(shape.begin(), shape.end(), 0) > 0;
    if (empty && !inference.constants[id]) return true;
  }
  return false;
}

std::string SymbolOf(const Value& input, size_t axis) {
  return axis < input.symbols.size() ? input.symbols[axis] : "";
}

// The open sizes of the inputs: those of a batch, and all others.
class OpenSizes {
 public:
  explicit OpenSizes(const Graph& graph) : graph_(graph) {
    ForEach([&](const Value& input, size_t axis) {
      if (axis == 0) batch_symbols_.insert(SymbolOf(input, axis));
    });
    batch_symbols_.erase("");
    ForEach([&](const Value& input, size_t axis) {
      any_other_ |= !IsBatch(input, axis);
    });
  }

  bool any_other() const { return any_other_; }

  std::vector<Shape> Fill(int64_t batch, int64_t other) const {
    std::vector<Shape> shapes;
    for (ValueId id : graph_.inputs()) {
      const Value& input = graph_.values()[id];
      Shape& shape = shapes.emplace_back(input.shape);
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] >= 0) continue;
        shape[axis] = IsBatch(input, axis) ? batch : other;
      }
    }
    return shapes;
  }

 private:
  void ForEach(const std::function<void(const Value&, size_t)>& visit) const {
    for (ValueId id : graph_.inputs()) {
      const Value& input = graph_.values()[id];
      for (size_t axis = 0; axis < input.shape.size(); ++axis) {
        if (input.shape[axis] < 0) visit(input, axis);
      }
    }
  }

  // The same symbol has the same size everywhere.
  bool IsBatch(const Value& input, size_t axis) const {
    return axis == 0 || batch_symbols_.contains(SymbolOf(input, axis));
  }

  const Graph& graph_;
  std::set<std::string> batch_symbols_;
  bool any_other_ = false;
};

}  // namespace

std::optional<Inference> TryInfer(const Graph& graph,
                                  const std::vector<Shape>& shapes) {
  try {
    Inference inference = Infer(graph, shapes);
    if (HasEmptyValue(inference)) return std::nullopt;
    return inference;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<Shape> DefaultInputShapes(const Graph& graph) {
  const OpenSizes open_sizes(graph);
  const std::span<const int64_t> sizes(kOpenSizes);
  for (int64_t batch : {kBatch, int64_t{1}}) {
    for (int64_t size :
         sizes.first(open_sizes.any_other() ? sizes.size() : 1)) {
      std::vector<Shape> shapes = open_sizes.Fill(batch, size);
      if (TryInfer(graph, shapes)) return shapes;
    }
  }
  std::vector<Shape> shapes = open_sizes.Fill(kBatch, kOpenSizes[0]);
  Infer(graph, shapes);  // throws what is wrong with the graph
  return shapes;
}

}  // namespace rebasin
