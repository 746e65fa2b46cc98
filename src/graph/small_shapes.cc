// Finds smaller input shapes that still exercise the whole graph, by trying.

#include <algorithm>
#include <utility>

#include "graph/inference.h"

namespace rebasin {
namespace {

constexpr int64_t kBatch = 2;
constexpr int64_t kSequence = 6;
constexpr int64_t kImageSizes[] = {8,   16,  32,  48,  64,  96,
                                   128, 160, 192, 224, 256, 384};

// Selects the axes of the inputs to shrink.
using AxisTest = bool (*)(const Value& input, size_t axis);

bool IsBatchAxis(const Value& input, size_t axis) {
  return input.shape.size() >= 2 && axis == 0;
}

bool IsImageAxis(const Value& input, size_t axis) {
  const size_t rank = input.shape.size();
  return input.kind == Kind::kFloat && rank >= 3 && rank <= 5 && axis >= 2;
}

bool IsSequenceAxis(const Value& input, size_t axis) {
  return input.kind == Kind::kInteger && input.shape.size() == 2 && axis == 1;
}

// A change of the size of inputs.
struct Change {
  int64_t from;
  int64_t to;
  bool spatial;
};

// Whether an output changed only as expected: in proportion to a batch or
// sequence, or along the spatial axes of an image.
bool StillFits(const ValueType& old, const ValueType& now,
               const Change& change) {
  // The number of detections in a smaller image cannot be predicted.
  if (!old.known) return !change.spatial;
  if (!now.known || now.shape.size() != old.shape.size()) return false;
  const auto times = [](int64_t a, int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
  };
  for (size_t axis = 0; axis < old.shape.size(); ++axis) {
    const int64_t before = old.shape[axis];
    const int64_t after = now.shape[axis];
    const bool in_proportion =
        times(before, change.to) == times(after, change.from);
    const bool may_change = change.spatial ? axis >= 2 : in_proportion;
    if (after != before && !may_change) return false;
  }
  return true;
}

// Tries smaller inputs, one change after the other, and keeps the changes that
// work.
class Shrinker {
 public:
  Shrinker(const Graph& graph, std::vector<Shape> shapes)
      : graph_(graph),
        shapes_(std::move(shapes)),
        best_(Infer(graph, shapes_, Conditions::kDecided)) {}

  const std::vector<Shape>& shapes() const { return shapes_; }

  // Shrinks the axes to the first of these sizes that works.
  void Shrink(AxisTest test, std::span<const int64_t> sizes) {
    const int64_t largest = Largest(test);
    for (int64_t size : sizes) {
      if (size >= largest) return;
      std::vector<Shape> shapes = Capped(test, size);
      auto found = TryInfer(graph_, shapes);
      const Change change = {largest, size, test == IsImageAxis};
      if (!found || !OutputsFit(*found, change)) continue;
      shapes_ = std::move(shapes);
      best_ = std::move(*found);
      return;
    }
  }

 private:
  int64_t Largest(AxisTest test) const {
    int64_t largest = 0;
    for (size_t i = 0; i < shapes_.size(); ++i) {
      const Value& input = graph_.values()[graph_.inputs()[i]];
      for (size_t axis = 0; axis < shapes_[i].size(); ++axis) {
        if (test(input, axis)) largest = std::max(largest, shapes_[i][axis]);
      }
    }
    return largest;
  }

  std::vector<Shape> Capped(AxisTest test, int64_t size) const {
    std::vector<Shape> shapes = shapes_;
    for (size_t i = 0; i < shapes.size(); ++i) {
      const Value& input = graph_.values()[graph_.inputs()[i]];
      for (size_t axis = 0; axis < shapes[i].size(); ++axis) {
        int64_t& old = shapes[i][axis];
        if (test(input, axis)) old = std::min(old, size);
      }
    }
    return shapes;
  }

  bool OutputsFit(const Inference& found, const Change& change) const {
    return found.unknown_in_branches <= best_.unknown_in_branches &&
           std::all_of(graph_.outputs().begin(), graph_.outputs().end(),
                       [&](ValueId id) {
                         return StillFits(best_.types[id], found.types[id],
                                          change);
                       });
  }

  const Graph& graph_;
  std::vector<Shape> shapes_;
  Inference best_;
};

}  // namespace

std::vector<Shape> SmallInputShapes(const Graph& graph) {
  Shrinker shrinker(graph, DefaultInputShapes(graph));
  shrinker.Shrink(IsBatchAxis, {&kBatch, 1});
  shrinker.Shrink(IsImageAxis, kImageSizes);
  shrinker.Shrink(IsSequenceAxis, {&kSequence, 1});
  return shrinker.shapes();
}

}  // namespace rebasin
