// How much arithmetic a network takes: counted from shapes, never measured, so
// that what is decided by it is decided alike everywhere.

#ifndef REBASIN_NN_FLOPS_H_
#define REBASIN_NN_FLOPS_H_

#include "rebasin/graph.h"

namespace rebasin::nn {

// Of one run with an input of this shape (the batch is its first axis):
// convolutions and matrix products, but at least one multiplication and one
// addition for each weight and example.
double ForwardFlops(const Graph& graph, const Shape& input);

// With the gradients of weights and activations.
inline double TrainingFlops(const Graph& graph, const Shape& input) {
  return 3 * ForwardFlops(graph, input);
}

}  // namespace rebasin::nn

#endif  // REBASIN_NN_FLOPS_H_
