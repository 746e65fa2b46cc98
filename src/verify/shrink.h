// Builds a graph of the same structure with fewer units, so that the proof by
// running is cheap for a model of any size.
//
// A group of units may have any size: an axis of 4096 units that discovery
// found free becomes an axis of 4 everywhere at once. Everything that is fixed
// keeps its size. The shapes of all values follow from the axis expressions;
// sizes that are stored in the graph (Reshape, Slice, groups of a convolution,
// ...) are replaced.

#ifndef REBASIN_VERIFY_SHRINK_H_
#define REBASIN_VERIFY_SHRINK_H_

#include <optional>
#include <vector>

#include "graph/inference.h"
#include "rebasin/discovery.h"
#include "rebasin/graph.h"
#include "rebasin/symmetry.h"

namespace rebasin {

struct SmallGraph {
  Graph graph;
  std::vector<Shape> input_shapes;
};

// The graph at each of its choices of open sizes, shrunk. Empty if the graph
// has a part that cannot be made smaller in this way.
std::vector<SmallGraph> ShrinkGraph(const Graph& graph,
                                    const std::vector<Shape>& usual_shapes);

// The symmetry with its groups at the sizes that they have in shrunk graphs.
// Nothing if it does not fit the weights of `graph`, a shrunk graph: then the
// symmetry has other groups than those that were found in it.
std::optional<Symmetry> ShrinkSymmetry(const Symmetry& symmetry,
                                       const Graph& graph);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_SHRINK_H_
