// Turns weights of a graph into constants.

#ifndef REBASIN_GRAPH_CONSTANT_WEIGHTS_H_
#define REBASIN_GRAPH_CONSTANT_WEIGHTS_H_

#include <vector>

#include "rebasin/graph.h"
#include "rebasin/tensor.h"

namespace rebasin {

// The tensor as an array. Requires IsArithmetic(tensor.dtype).
Array FloatArray(const Tensor& tensor);

// A copy of the graph in which the weights with these names are constants with
// these values. Ignores tensors that are not weights of the graph. The tensors
// must have the shapes of the graph's weights.
Graph WithConstantWeights(const Graph& graph,
                          const std::vector<Tensor>& tensors);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_CONSTANT_WEIGHTS_H_
