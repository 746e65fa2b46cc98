// The part of a graph whose shapes are known before it runs.
//
// Detectors choose boxes, so the number of boxes and everything computed from
// them depends on data. Permuted weights affect this rest of the graph only
// through the values that enter it. If these values are equal, so is everything
// after them.

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
  // The graph up to values whose shapes are unknown or depend on data, or that
  // are computed in a conditional branch. Its outputs are the values that
  // depend on permutable weights and that the rest of the graph reads. It has
  // all inputs, and the weights that it uses. Nothing if all shapes are known,
  // or if the rest reads a permutable weight.
  std::optional<Graph> graph = {};
  // The permutable weights that the rest reads.
  std::set<std::string> late_weights = {};
  // The computed values that depend on permutable weights and that the rest
  // reads, by their ids in the whole graph.
  std::vector<ValueId> ends = {};
  // By value of the whole graph: whether the rest computes it.
  std::vector<bool> is_late = {};
};

// `traces`: the graph's inferences at some choices of open sizes. A weight is
// permutable if `symmetry` has a group in it.
StaticPart FindStaticPart(const Graph& graph, std::span<const Inference> traces,
                          const Symmetry& symmetry);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_STATIC_PART_H_
