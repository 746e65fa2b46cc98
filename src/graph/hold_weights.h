// A graph some of whose weights are constants.

#ifndef REBASIN_GRAPH_HOLD_WEIGHTS_H_
#define REBASIN_GRAPH_HOLD_WEIGHTS_H_

#include <vector>

#include "rebasin/graph.h"
#include "rebasin/tensor.h"

namespace rebasin {

// The elements as a graph holds them. Requires IsArithmetic(tensor.dtype).
Array FloatArray(const Tensor& tensor);

// The graph with the weights of these names made constants of these numbers.
// Tensors that are no weights of the graph are passed over. Requires the shapes
// of the graph's weights.
Graph HoldWeights(const Graph& graph, const std::vector<Tensor>& tensors);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_HOLD_WEIGHTS_H_
