// The amount of arithmetic of a network: computed from shapes, not measured, so
// that decisions based on it are the same everywhere.

#ifndef REBASIN_NN_FLOPS_H_
#define REBASIN_NN_FLOPS_H_

#include "rebasin/graph.h"

namespace rebasin::nn {

// Operations of one run with this input shape (the first axis is the batch):
// convolutions and matrix products, but at least one multiplication and one
// addition for each weight and example.
double ForwardFlops(const Graph& graph, const Shape& input);

// Including gradients of weights and activations.
inline double TrainingFlops(const Graph& graph, const Shape& input) {
  return 3 * ForwardFlops(graph, input);
}

}  // namespace rebasin::nn

#endif  // REBASIN_NN_FLOPS_H_
