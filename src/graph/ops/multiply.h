// The dense matrix product that all operators use.

#ifndef REBASIN_GRAPH_OPS_MULTIPLY_H_
#define REBASIN_GRAPH_OPS_MULTIPLY_H_

#include <cstdint>

namespace rebasin {

// c += a b, where a is m x k, b is k x n and c is m x n, all row-major. Rows of
// `c` are `stride` elements apart.
void MultiplyAdd(int64_t m, int64_t n, int64_t k, const double* a,
                 const double* b, double* c, int64_t stride);

inline void MultiplyAdd(int64_t m, int64_t n, int64_t k, const double* a,
                        const double* b, double* c) {
  MultiplyAdd(m, n, k, a, b, c, n);
}

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_MULTIPLY_H_
