// The blocks of the matrix product, and the memory for its packed operands.

#ifndef REBASIN_TENSOR_GEMM_BLOCKS_H_
#define REBASIN_TENSOR_GEMM_BLOCKS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "base/per_thread.h"

namespace rebasin {

// Block sizes after Goto and van de Geijn: a strip of a stays in the
// second-level cache while it is multiplied by a whole block of b, one panel of
// which at a time is in the first-level cache.
inline constexpr int64_t kGemmSteps = 512;
inline constexpr int64_t kMaxGemmStripRows = 240;
inline constexpr int64_t kGemmBlockColumns = 2048;

inline int64_t RoundUp(int64_t value, int64_t to) {
  return (value + to - 1) / to * to;
}

inline constexpr std::align_val_t kGemmAlignment{128};

struct DeleteGemmFloats {
  void operator()(float* floats) const {
    ::operator delete(floats, kGemmAlignment);
  }
};
using GemmFloats = std::unique_ptr<float[], DeleteGemmFloats>;

// Each thread keeps buffers up to this size. Thousands of small products follow
// each other, and allocating memory would take longer than their arithmetic.
inline constexpr int64_t kMaxGemmKept = int64_t{1} << 18;

enum class GemmOperand { kA, kB };

inline GemmFloats AllocateGemmFloats(int64_t size) {
  const size_t bytes = static_cast<size_t>(size) * sizeof(float);
  return GemmFloats(static_cast<float*>(::operator new(bytes, kGemmAlignment)));
}

// The buffers that a thread keeps, for each operand.
struct KeptGemmBuffers {
  std::array<GemmFloats, 2> of;
};

// Returns aligned memory, so that no vector crosses a cache line. Valid until
// the same thread asks for the same operand again, or until `large` is
// destroyed.
inline float* GemmBuffer(GemmOperand operand, int64_t size, GemmFloats& large) {
  if (size > kMaxGemmKept) {
    large = AllocateGemmFloats(size);
    return large.get();
  }
  GemmFloats& buffer =
      PerThread<KeptGemmBuffers>().of[static_cast<size_t>(operand)];
  if (!buffer) buffer = AllocateGemmFloats(kMaxGemmKept);
  return buffer.get();
}

// The rows of c, cut into strips of whole tiles with nearly equal height.
// Higher strips reuse a packed block of b more; lower strips balance better
// between threads. The cut does not change any sum.
class GemmStrips {
 public:
  GemmStrips(int64_t rows, int64_t tile_rows, int threads)
      : rows_(rows),
        tile_rows_(tile_rows),
        tiles_((rows + tile_rows - 1) / tile_rows) {
    const int64_t most = kMaxGemmStripRows / tile_rows;
    count_ = (tiles_ + most - 1) / most;
    const int64_t fair = std::min<int64_t>(4 * threads, (tiles_ + 1) / 2);
    if (threads > 1) count_ = std::max(count_, fair);
  }

  int64_t count() const { return count_; }
  int64_t begin(int64_t strip) const {
    return std::min(rows_, tiles_ * strip / count_ * tile_rows_);
  }

 private:
  int64_t rows_, tile_rows_, tiles_, count_;
};

}  // namespace rebasin

#endif  // REBASIN_TENSOR_GEMM_BLOCKS_H_
