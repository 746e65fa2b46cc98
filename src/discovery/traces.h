// A graph at several choices of the sizes that its inputs leave open.

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
  // The first choice is `usual`; all open sizes are larger in another, as far
  // as the graph permits. A graph without open sizes has one trace.
  Traces(const Graph& graph, const std::vector<Shape>& usual);

  std::span<const Inference> inferences() const { return inferences_; }
  // The shapes of the inputs in each of them.
  const std::vector<std::vector<Shape>>& shapes() const { return shapes_; }
  const SizeDependence& sizes() const { return sizes_; }

 private:
  std::vector<std::vector<Shape>> shapes_;
  std::vector<Inference> inferences_;
  SizeDependence sizes_;
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_TRACES_H_
