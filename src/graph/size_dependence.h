// Finds out what depends on the open sizes of a graph's inputs: sizes of axes,
// and elements of values that are computed from shapes.
//
// Conclusions from a graph at one choice of sizes must hold at all others. For
// example, if a table is cut to the length of the input, the position of the
// cut has no meaning.

#ifndef REBASIN_GRAPH_SIZE_DEPENDENCE_H_
#define REBASIN_GRAPH_SIZE_DEPENDENCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

class SizeDependence {
 public:
  // Nothing depends on any size.
  SizeDependence() = default;
  // `inferences`: those of the graph at different input shapes. An axis depends
  // on open sizes if its size differs between them, or if the node that makes
  // it would give it another size. The dependence of elements of constants is
  // derived from that, operator by operator, for the constants of the first
  // inference.
  SizeDependence(const Graph& graph, std::span<const Inference> inferences);

  bool AxisDepends(ValueId value, size_t axis) const;
  // For values that are known without running: whether this element depends on
  // open sizes.
  bool ElementDepends(ValueId value, size_t element) const;

 private:
  void MarkOpenInputs(const Graph& graph);
  void CompareSizes(std::span<const Inference> inferences);
  void FollowNodes(const Graph& graph, const Inference& inference);
  void MarkAxesThatFollow(const Node& node, const Inference& inference);
  // Returns whether the node takes these places of its inputs many times
  // larger.
  bool MarkAxesFollowing(const Node& node, const Inference& inference,
                         const std::function<bool(int64_t from_end)>& grows);
  void MarkDifferences(const Node& node, const Inference& inference,
                       std::span<const ValueType> types);
  bool IsAffected(const Node& node) const;
  void MarkElements(const Node& node, const Inference& inference);
  void MarkShapeOf(const Node& node, const Inference& inference);
  void MarkAll(const Node& node);
  bool MarkLike(const Node& node, const Inference& inference);
  bool MarkElementwise(const Node& node, const Inference& inference);
  void MarkAxesMadeBy(const Node& node, const Inference& inference);
  Array MarksOf(ValueId value, const Inference& inference) const;
  void StoreMarks(ValueId value, const Array& marks);
  bool HasMarks(ValueId value) const;

  // Large tables are marked only as a whole.
  struct Marks {
    bool all = false;
    std::vector<bool> each = {};
  };

  std::vector<std::vector<bool>> axes_;  // by value; empty: none depends
  std::vector<Marks> elements_;          // by value
};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_SIZE_DEPENDENCE_H_
