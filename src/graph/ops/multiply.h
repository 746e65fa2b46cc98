// The one dense kernel: all products of matrices end here.

#ifndef REBASIN_GRAPH_OPS_MULTIPLY_H_
#define REBASIN_GRAPH_OPS_MULTIPLY_H_

#include <cstdint>

namespace rebasin {

// c += a b, with a of m x k, b of k x n and c of m x n, all row-major. `c` has
// `stride` elements from one row to the next.
void MultiplyAdd(int64_t m, int64_t n, int64_t k, const double* a,
                 const double* b, double* c, int64_t stride);

inline void MultiplyAdd(int64_t m, int64_t n, int64_t k, const double* a,
                        const double* b, double* c) {
  MultiplyAdd(m, n, k, a, b, c, n);
}

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_MULTIPLY_H_
