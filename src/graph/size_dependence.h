// What follows the sizes that a graph's inputs leave open: sizes of axes, and
// elements of values that are computed from shapes.
//
// Whoever draws conclusions from a graph at one choice of sizes must know what
// would be different at another: where a table is cut to the length of the
// input, nothing may be concluded from the place of the cut.

#ifndef REBASIN_GRAPH_SIZE_DEPENDENCE_H_
#define REBASIN_GRAPH_SIZE_DEPENDENCE_H_

#include <cstddef>
#include <span>
#include <vector>

#include "graph/inference.h"
#include "rebasin/graph.h"

namespace rebasin {

class SizeDependence {
 public:
  // Nothing depends on any size.
  SizeDependence() = default;
  // `inferences`: of the same graph at different input shapes. An axis depends
  // on open sizes if its size is not the same in all of them. Which elements of
  // constants do is derived from that, operator by operator, for the constants
  // of the first.
  SizeDependence(const Graph& graph, std::span<const Inference> inferences);

  bool OfAxis(ValueId value, size_t axis) const;
  // Of values known without running: whether this element depends on sizes.
  bool OfElement(ValueId value, size_t element) const;

 private:
  void CompareSizes(std::span<const Inference> inferences);
  void FollowElements(const Graph& graph, const Inference& inference);
  bool IsAffected(const Node& node) const;
  void MarkElements(const Node& node, const Inference& inference);
  void MarkShapeOf(const Node& node, const Inference& inference);
  void MarkAll(const Node& node);
  bool MarkLike(const Node& node, const Inference& inference);
  bool MarkElementwise(const Node& node, const Inference& inference);
  void MarkAxesMadeBy(const Node& node, const Inference& inference);
  Array MarksOf(ValueId value, const Inference& inference) const;
  void Keep(ValueId value, const Array& marks);
  bool HasMarks(ValueId value) const;

  // Large tables are marked as a whole.
  struct Marks {
    bool all = false;
    std::vector<bool> each = {};
  };

  std::vector<std::vector<bool>> axes_;  // by value; empty: none depends
  std::vector<Marks> elements_;          // by value
};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_SIZE_DEPENDENCE_H_
