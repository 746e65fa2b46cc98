#include "discovery/traces.h"

namespace rebasin {

Traces::Traces(const Graph& graph, const std::vector<Shape>& usual)
    : shapes_(OtherInputShapes(graph, usual)) {
  shapes_.insert(shapes_.begin(), usual);
  for (const auto& shapes : shapes_) {
    inferences_.push_back(Infer(graph, shapes));
  }
  // For some sizes, only a choice far from the usual one shows whether they are
  // open.
  const auto large = LargeInputShapes(graph, usual);
  if (large) inferences_.push_back(Infer(graph, *large));
  sizes_ = SizeDependence(graph, inferences_);
  if (large) inferences_.pop_back();
}

}  // namespace rebasin
