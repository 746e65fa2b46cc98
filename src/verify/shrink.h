// A graph of the same structure with fewer units, so that the proof by running
// costs little however large the model is.
//
// What is free to be permuted may be of any size: an axis of 4096 units that
// discovery found free becomes one of 4, everywhere at once, and everything
// that is fixed keeps its size. The shapes of all values follow from the axis
// expressions; where the sizes are written into the graph (Reshape, Slice,
// groups of a convolution, ...), they are written anew.

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

// The same graph at each of `shapes`, shrunk. Nothing if the graph has a part
// that cannot be made smaller in this way.
std::vector<SmallGraph> ShrinkGraph(const Graph& graph,
                                    const std::vector<Shape>& usual_shapes);

// The symmetry with groups of the sizes that they have in shrunk graphs.
// Nothing if it does not fit the weights of `graph`, a shrunk one: the symmetry
// is not one of the groups that were found in it.
std::optional<Symmetry> ShrinkSymmetry(const Symmetry& symmetry,
                                       const Graph& graph);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_SHRINK_H_
