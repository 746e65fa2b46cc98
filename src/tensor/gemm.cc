#include "tensor/gemm.h"

#include <dnnl.h>
#include <omp.h>

#include <algorithm>
#include <cassert>

namespace rebasin {
namespace {

// High enough that packing the other operand again for each strip is cheap
// (one pass per 2 * 256 flops), low enough to feed many cores.
constexpr int64_t kStripRows = 256;

// Below this many multiplications a parallel loop costs more than it gains.
constexpr int64_t kParallelWork = int64_t{1} << 22;

// OpenMP's thread count belongs to the calling thread; oneDNN must see one,
// and the caller gets back what it had.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

GemmOperand SkipRows(const GemmOperand& operand, int64_t rows) {
  GemmOperand rest = operand;
  rest.data += operand.transposed ? rows : rows * operand.stride;
  return rest;
}

}  // namespace

void Gemm(const GemmShape& shape, const GemmOperand& a, const GemmOperand& b,
          float* c, int64_t c_stride) {
  if (shape.m == 0 || shape.n == 0) return;
  const OneThread one_thread;
  [[maybe_unused]] const dnnl_status_t status =
      dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', shape.m,
                 shape.n, shape.k, shape.alpha, a.data, a.stride, b.data,
                 b.stride, shape.beta, c, c_stride);
  assert(status == dnnl_success);
}

void ParallelGemm(ThreadPool& pool, const GemmShape& shape,
                  const GemmOperand& a, const GemmOperand& b, float* c,
                  int64_t c_stride) {
  const auto run_strip = [&](int64_t strip) {
    const int64_t begin = strip * kStripRows;
    GemmShape part = shape;
    part.m = std::min(kStripRows, shape.m - begin);
    Gemm(part, SkipRows(a, begin), b, c + begin * c_stride, c_stride);
  };
  const int64_t strips = (shape.m + kStripRows - 1) / kStripRows;
  if (shape.m * shape.n * shape.k < kParallelWork) {
    for (int64_t strip = 0; strip < strips; ++strip) run_strip(strip);
  } else {
    pool.For(strips, run_strip);
  }
}

}  // namespace rebasin
