#include "tensor/gemm_kernel.h"

#include <hwy/cache_control.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/gemm_kernel.cc"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

#include "base/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace rebasin::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

// Two vectors wide, and as high as the registers allow. Of the 32 registers of
// AVX-512, 24 hold sums, 2 hold columns and one a broadcast row element; with
// 16 registers, 12 hold sums.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr int kRows = 12;
#else
constexpr int kRows = 6;
#endif

GemmTile TileSize() {
  return {.rows = kRows, .columns = 2 * static_cast<int64_t>(hn::Lanes(D()))};
}

HWY_INLINE void AddTo(float* c, V sum) {
  const D d;
  hn::StoreU(hn::Add(hn::LoadU(d, c), sum), d, c);
}

void Multiply(int64_t k, const float* HWY_RESTRICT a,
              const float* HWY_RESTRICT b, float* HWY_RESTRICT c,
              int64_t c_stride) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  V left[kRows], right[kRows];
  // Prefetch: the result is further away than the operands.
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    hwy::Prefetch(c + r * c_stride);
    hwy::Prefetch(c + r * c_stride + lanes);
    left[r] = right[r] = hn::Zero(d);
  }
  for (int64_t step = 0; step < k; ++step) {
    const V b_left = hn::LoadU(d, b);
    const V b_right = hn::LoadU(d, b + lanes);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const V element = hn::Set(d, a[r]);
      left[r] = hn::MulAdd(element, b_left, left[r]);
      right[r] = hn::MulAdd(element, b_right, right[r]);
    }
    a += kRows;
    b += 2 * lanes;
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    AddTo(c + r * c_stride, left[r]);
    AddTo(c + r * c_stride + lanes, right[r]);
  }
}

}  // namespace
}  // namespace rebasin::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rebasin {

REBASIN_EXPORT(TileSize);
REBASIN_EXPORT(Multiply);

GemmTile GemmTileHere() { return REBASIN_DISPATCH(TileSize)(); }

void MultiplyTile(int64_t k, const float* a, const float* b, float* c,
                  int64_t c_stride) {
  REBASIN_DISPATCH(Multiply)(k, a, b, c, c_stride);
}

}  // namespace rebasin
#endif  // HWY_ONCE
