// The operators, one file a family. Each file hands over its table.

#ifndef REBASIN_GRAPH_OPS_OPS_H_
#define REBASIN_GRAPH_OPS_OPS_H_

#include <span>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

std::span<const Operator> UnaryOperators();   // Relu, Sqrt, Cast, Identity ...
std::span<const Operator> MatMulOperators();  // MatMul, Gemm

// All of the above.
std::vector<std::span<const Operator>> AllOperators();

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_OPS_H_
