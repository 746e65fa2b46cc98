// What several families of operators share: broadcasting, and one dense kernel.

#ifndef REBASIN_GRAPH_OPS_BROADCAST_H_
#define REBASIN_GRAPH_OPS_BROADCAST_H_

#include <cstdint>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

// The shape both are stretched to. Throws context.Bad if there is none.
Shape BroadcastShapes(const OpContext& context, const Shape& a, const Shape& b);

// For each element of `to`, in order, the index of the element of `from` that
// is stretched there. Requires that `from` can be.
std::vector<int64_t> BroadcastOffsets(const Shape& from, const Shape& to);

// c += a b, with a of m x k, b of k x n and c of m x n, all row-major.
void MultiplyAdd(int64_t m, int64_t n, int64_t k, const double* a,
                 const double* b, double* c);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_BROADCAST_H_
