#include "match/costs/sibling_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "match/costs/sibling_kernel.cc"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

#include "base/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace rebasin::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Computes the rectangle of c at (x, y), `kRows` high and `kVectors` wide. Its
// sums stay in registers over all blocks.
template <int kRows, int kVectors, class D>
HWY_INLINE void AddTile(D d, const SiblingProducts& products, int64_t x,
                        int64_t y, float* HWY_RESTRICT c) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  const float* HWY_RESTRICT a = products.a + x;
  for (const float* block : products.b) {
    const float* HWY_RESTRICT b = block + y;
    for (int64_t k = 0; k < products.steps; ++k) {
      hn::Vec<D> right[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, b + v * lanes);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const auto left = hn::Set(d, a[r]);
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) {
          sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
        }
      }
      a += products.rows;
      b += products.columns;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      float* to = c + (x + r) * products.columns + y + v * lanes;
      hn::StoreU(hn::Add(hn::LoadU(d, to), sums[r][v]), d, to);
    }
  }
}

template <int kRows, class D>
HWY_INLINE void AddTiles(D d, const SiblingProducts& products, float* c) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t x = 0; x < products.rows; x += kRows) {
    int64_t y = 0;
    for (; y + 2 * lanes <= products.columns; y += 2 * lanes) {
      AddTile<kRows, 2>(d, products, x, y, c);
    }
    if (y < products.columns) AddTile<kRows, 1>(d, products, x, y, c);
  }
}

// Registers for sums: 16 of the 32 of AVX-512, otherwise 8 of 16.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr int kMaxRows = 8;
#else
constexpr int kMaxRows = 4;
#endif

template <class D>
HWY_INLINE void AddRows(D d, const SiblingProducts& products, float* c) {
  if (products.rows % kMaxRows == 0) {
    AddTiles<kMaxRows>(d, products, c);
  } else {
    AddTiles<4>(d, products, c);
  }
}

void Add(const SiblingProducts& products, float* c) {
  if (products.columns % 16 == 0) {
    AddRows(hn::CappedTag<float, 16>(), products, c);
  } else if (products.columns % 8 == 0) {
    AddRows(hn::CappedTag<float, 8>(), products, c);
  } else {
    AddRows(hn::CappedTag<float, 4>(), products, c);
  }
}

}  // namespace
}  // namespace rebasin::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rebasin {

REBASIN_EXPORT(Add);

int64_t SiblingWidth(int64_t units) {
  if (units <= 4) return 4;
  if (units <= 8) return 8;
  return (units + 15) / 16 * 16;
}

void AddSiblingProducts(const SiblingProducts& products, float* c) {
  REBASIN_DISPATCH(Add)(products, c);
}

}  // namespace rebasin
#endif  // HWY_ONCE
