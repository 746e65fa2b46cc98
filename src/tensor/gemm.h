// Single-precision matrix products.
//
// Written here because no library in Debian fits: OpenBLAS 0.3.21 chooses its
// kernels from a table of known processors and falls back to SSE3 on newer
// ones (32 of 155 GFLOP/s), and oneDNN generates code at the first call for 30
// milliseconds, more than matching a small network takes in all. Operands come
// from a callback that packs them, so that whatever has to be gathered,
// permuted or subtracted on the way never exists as a matrix of its own.
//
// The work is cut into tasks of a fixed size: the result does not depend on the
// number of threads.

#ifndef REBASIN_TENSOR_GEMM_H_
#define REBASIN_TENSOR_GEMM_H_

#include <cstdint>
#include <functional>

#include "base/parallel.h"

namespace rebasin {

// A part of an operand: `count` units (rows of a, or columns of b) from `unit`
// on, for `steps` steps of the contracted index from `step` on.
struct GemmPart {
  int64_t unit = 0, count = 0;
  int64_t step = 0, steps = 0;
};

// Writes element (unit u, step s) of the part to out[s * width + u - unit].
// Called from several threads at once.
using GemmPacker =
    std::function<void(const GemmPart& part, int64_t width, float* out)>;

// A row-major matrix as operand. As it is, its rows are the units; transposed,
// its columns are.
struct GemmMatrix {
  const float* data = nullptr;
  int64_t stride = 0;
  bool transposed = false;
};

GemmPacker PackFrom(const GemmMatrix& matrix);

struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
};

// What becomes of the operands; sums are float32 in any case.
enum class GemmOperands {
  kExact,
  // Rounded to bfloat16 (8 bits of mantissa) where that makes products faster.
  // For sums over many samples of things that are themselves uncertain.
  kRoundedIfFaster,
};

// c (m x n) += sum over steps of a[row][step] * b[column][step].
void GemmAdd(ThreadPool& pool, const GemmShape& shape, const GemmPacker& a,
             const GemmPacker& b, float* c, int64_t c_stride,
             GemmOperands operands = GemmOperands::kExact);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_GEMM_H_
