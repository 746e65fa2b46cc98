// Single-precision matrix products.
//
// Written here because no library in Debian fits. OpenBLAS 0.3.21 selects its
// kernels from a table of known processors and falls back to SSE3 on newer ones
// (32 of 155 GFLOP/s). oneDNN generates code for 30 milliseconds at the first
// call, longer than matching a small network takes. Operands are packed by a
// callback, so that gathered, permuted or subtracted operands never exist as
// whole matrices.
//
// The work is cut into tasks of a fixed size, so the result does not depend on
// the number of threads.

#ifndef REBASIN_TENSOR_GEMM_H_
#define REBASIN_TENSOR_GEMM_H_

#include <cstdint>
#include <functional>

#include "base/parallel.h"

namespace rebasin {

// A part of an operand: `count` units (rows of a, or columns of b) from `unit`
// on, and `steps` steps of the contracted index from `step` on.
struct GemmPart {
  int64_t unit = 0, count = 0;
  int64_t step = 0, steps = 0;
};

// Writes element (unit u, step s) of the part to out[s * width + u - unit].
// Called from several threads at once.
using GemmPacker =
    std::function<void(const GemmPart& part, int64_t width, float* out)>;

// A row-major matrix as operand. Its rows are the units; if transposed, its
// columns are.
struct GemmMatrix {
  const float* data = nullptr;
  int64_t stride = 0;
  bool transposed = false;
};

GemmPacker PackFrom(const GemmMatrix& matrix);

struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
};

// The precision of the operands; sums are always float32.
enum class GemmOperands {
  kExact,
  // Rounded to bfloat16 (8 bits of mantissa) if that makes products faster. For
  // sums over many samples of uncertain values.
  kRoundedIfFaster,
  // All operands are bfloat16 values whose products and sums are normal numbers
  // (see BFloat16ProductsAreNormal). Multiplied as such if that is faster; the
  // result has the same bits as with kExact.
  kBFloat16,
};

// c (m x n) += sum over steps of a[row][step] * b[column][step].
void GemmAdd(ThreadPool& pool, const GemmShape& shape, const GemmPacker& a,
             const GemmPacker& b, float* c, int64_t c_stride,
             GemmOperands operands = GemmOperands::kExact);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_GEMM_H_
