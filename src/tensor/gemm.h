// Single-precision matrix products.
//
// The product itself is oneDNN's: it generates code for the processor it finds,
// where Debian's OpenBLAS falls back to SSE3 on processors newer than itself
// (measured: 32 against 155 GFLOP/s on one core). oneDNN is always called on
// one thread; the parallel form splits the rows into strips of a fixed height,
// so that the result does not depend on the number of threads.

#ifndef REBASIN_TENSOR_GEMM_H_
#define REBASIN_TENSOR_GEMM_H_

#include <cstdint>

#include "base/parallel.h"

namespace rebasin {

// A row-major matrix, taken as it is or transposed.
struct GemmOperand {
  const float* data = nullptr;
  int64_t stride = 0;
  bool transposed = false;
};

// c (m x n) = alpha * a (m x k) * b (k x n) + beta * c
struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
};

void Gemm(const GemmShape& shape, const GemmOperand& a, const GemmOperand& b,
          float* c, int64_t c_stride);

void ParallelGemm(ThreadPool& pool, const GemmShape& shape,
                  const GemmOperand& a, const GemmOperand& b, float* c,
                  int64_t c_stride);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_GEMM_H_
