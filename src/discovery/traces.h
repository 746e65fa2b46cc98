// A graph at several choices of its open input sizes.

#ifndef REBASIN_DISCOVERY_TRACES_H_
#define REBASIN_DISCOVERY_TRACES_H_

#include <span>
#include <vector>

#include "graph/inference.h"
#include "graph/size_dependence.h"
#include "rebasin/graph.h"

namespace rebasin {

class Traces {
 public:
  // The first choice is `usual`. In the others, some open sizes are larger, and
  // every open size is larger in one of them, as far as the graph permits. A
  // graph without open sizes has one trace.
  Traces(const Graph& graph, const std::vector<Shape>& usual);

  std::span<const Inference> inferences() const { return inferences_; }
  // The shapes of the inputs in each trace.
  const std::vector<std::vector<Shape>>& shapes() const { return shapes_; }
  const SizeDependence& sizes() const { return sizes_; }

 private:
  std::vector<std::vector<Shape>> shapes_;
  std::vector<Inference> inferences_;
  SizeDependence sizes_;
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_TRACES_H_
