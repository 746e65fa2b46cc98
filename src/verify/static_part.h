// The part of a graph that can be followed before it runs.
//
// Detectors choose boxes: how many there are, and what becomes of them, depends
// on data. Whatever happens there, permuted weights have a part in it only
// through the values that go into it. If these are equal, all that follows is.

#ifndef REBASIN_VERIFY_STATIC_PART_H_
#define REBASIN_VERIFY_STATIC_PART_H_

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "graph/inference.h"
#include "rebasin/graph.h"
#include "rebasin/symmetry.h"

namespace rebasin {

struct StaticPart {
  // The graph up to values whose shapes depend on data, are not known for
  // another reason, or stand in a conditional branch. Its outputs are what
  // weights that can be permuted have a part in, and the rest of the graph
  // reads. Has all inputs, and of the weights those that it uses. Nothing if
  // all shapes are known, or the rest reads a weight that can be permuted.
  std::optional<Graph> graph = {};
  // The weights that can be permuted and are read by the rest.
  std::set<std::string> late_weights = {};
  // What the rest reads of other values that such weights have a part in, as
  // values of the whole graph, and for each of its values whether the rest
  // makes it.
  std::vector<ValueId> ends = {};
  std::vector<bool> is_late = {};
};

// `traces`: the graph's inferences at some choices of open sizes. What can be
// permuted is what `symmetry` has a group in.
StaticPart FindStaticPart(const Graph& graph, std::span<const Inference> traces,
                          const Symmetry& symmetry);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_STATIC_PART_H_
