#include "tensor/inner_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/inner_product.cc"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

#include "base/dispatch.h"
#include "tensor/load_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rebasin::HWY_NAMESPACE {
namespace {

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;

constexpr size_t kLanes = hn::MaxLanes(D());

alignas(64) constexpr double kPositions[8] = {0, 1, 2, 3, 4, 5, 6, 7};

template <typename T>
HWY_INLINE V LoadDoubles(const T* from) {
  return hn::PromoteTo(D(), LoadFloats(hn::Rebind<float, D>(), from));
}

// kCount doubles, in as many vectors as the instruction set needs.
template <size_t kCount>
struct Doubles {
  V part[kCount / kLanes];

  HWY_INLINE Doubles() {
    for (V& v : part) v = hn::Zero(D());
  }

  template <typename T>
  HWY_INLINE void Load(const T* from) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kCount / kLanes; ++v) {
      part[v] = LoadDoubles(from + v * kLanes);
    }
  }

  HWY_INLINE void AddProduct(const Doubles& x, const Doubles& y) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kCount / kLanes; ++v) {
      part[v] = hn::MulAdd(x.part[v], y.part[v], part[v]);
    }
  }

  HWY_INLINE void StoreTo(double* to) const {
    for (size_t v = 0; v < kCount / kLanes; ++v) {
      hn::StoreU(part[v], D(), to + v * kLanes);
    }
  }
};

template <typename A, typename B>
HWY_INLINE Moments MeasureArrays(const A* HWY_RESTRICT a,
                                 const B* HWY_RESTRICT b, size_t n) {
  constexpr size_t kCount = 16;
  Doubles<kCount> aa, bb, ab, x, y;
  size_t i = 0;
  for (; i + kCount <= n; i += kCount) {
    x.Load(a + i);
    y.Load(b + i);
    aa.AddProduct(x, x);
    bb.AddProduct(y, y);
    ab.AddProduct(x, y);
  }
  double sums[3][kCount];
  aa.StoreTo(sums[0]);
  bb.StoreTo(sums[1]);
  ab.StoreTo(sums[2]);
  Moments sum;
  for (size_t l = 0; l < kCount; ++l) {
    sum += {sums[0][l], sums[1][l], sums[2][l]};
  }
  for (; i < n; ++i) {
    const double s = AsFloat(a[i]), t = AsFloat(b[i]);
    sum += {s * s, t * t, s * t};
  }
  return sum;
}

// Eight elements at a time. The rest of a run is read as its last eight
// elements, with those already counted set to zero. Convolution kernels have
// nine elements, and a scalar loop over the rest would take longer than the
// eight before it.
template <typename A, typename B, typename Add>
HWY_INLINE void ForEights(const A* first_a, const B* first_b,
                          const ProductRuns& runs, const Add& add) {
  const D d;
  const size_t whole = runs.length / 8 * 8;
  const auto counted =
      hn::Set(d, static_cast<double>(8 - (runs.length - whole)));
  Doubles<8> x, y;
  for (size_t r = 0; r < runs.a_at.size(); ++r) {
    const A* a = first_a + runs.a_at[r];
    const B* b = first_b + runs.b_at[r];
    for (size_t i = 0; i < whole; i += 8) {
      x.Load(a + i);
      y.Load(b + i);
      add(x, y, 0);
    }
    if (whole == runs.length) continue;
    x.Load(a + runs.length - 8);
    y.Load(b + runs.length - 8);
    for (size_t v = 0; v < 8 / kLanes; ++v) {
      const auto fresh = hn::Ge(hn::LoadU(d, kPositions + v * kLanes), counted);
      x.part[v] = hn::IfThenElseZero(fresh, x.part[v]);
      y.part[v] = hn::IfThenElseZero(fresh, y.part[v]);
    }
    add(x, y, 1);
  }
}

template <typename A, typename B>
HWY_INLINE void AddRunsOf(const A* a, const B* b, const ProductRuns& runs,
                          ProductSums& sums) {
  Doubles<8> ab[2];
  ForEights(a, b, runs,
            [&](const Doubles<8>& x, const Doubles<8>& y, int rest)
                HWY_ATTR { ab[rest].AddProduct(x, y); });
  double added[16];
  ab[0].StoreTo(added);
  ab[1].StoreTo(added + 8);
  for (size_t l = 0; l < sums.size(); ++l) sums[l] += added[l];
}

template <typename A, typename B>
HWY_INLINE Moments MeasureRunsOf(const A* a, const B* b,
                                 const ProductRuns& runs) {
  Doubles<8> aa[2], bb[2], ab[2];
  ForEights(a, b, runs,
            [&](const Doubles<8>& x, const Doubles<8>& y, int rest) HWY_ATTR {
              aa[rest].AddProduct(x, x);
              bb[rest].AddProduct(y, y);
              ab[rest].AddProduct(x, y);
            });
  Moments sum;
  for (int rest = 0; rest < 2; ++rest) {
    double sums[3][8];
    aa[rest].StoreTo(sums[0]);
    bb[rest].StoreTo(sums[1]);
    ab[rest].StoreTo(sums[2]);
    for (size_t l = 0; l < 8; ++l) sum += {sums[0][l], sums[1][l], sums[2][l]};
  }
  return sum;
}

Moments MeasurePair(const Elements& a, const Elements& b, size_t n) {
  return a.Visit([&](const auto* x) HWY_ATTR {
    return b.Visit([&](const auto* y)
                       HWY_ATTR { return MeasureArrays(x, y, n); });
  });
}

void AddLongRuns(const ProductRuns& runs, ProductSums& sums) {
  runs.a.Visit([&](const auto* x) HWY_ATTR {
    runs.b.Visit([&](const auto* y) HWY_ATTR { AddRunsOf(x, y, runs, sums); });
  });
}

Moments MeasureLongRuns(const ProductRuns& runs) {
  return runs.a.Visit([&](const auto* x) HWY_ATTR {
    return runs.b.Visit([&](const auto* y)
                            HWY_ATTR { return MeasureRunsOf(x, y, runs); });
  });
}

}  // namespace
}  // namespace rebasin::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rebasin {
namespace {

REBASIN_EXPORT(MeasurePair);
REBASIN_EXPORT(AddLongRuns);
REBASIN_EXPORT(MeasureLongRuns);

// Calls add(a, b, i) for element i of each run.
template <typename Add>
void ForShortRuns(const ProductRuns& runs, const Add& add) {
  runs.a.Visit([&](const auto* a) {
    runs.b.Visit([&](const auto* b) {
      for (size_t r = 0; r < runs.a_at.size(); ++r) {
        for (size_t i = 0; i < runs.length; ++i) {
          const auto at = static_cast<int64_t>(i);
          add(static_cast<double>(AsFloat(a[runs.a_at[r] + at])),
              static_cast<double>(AsFloat(b[runs.b_at[r] + at])), i);
        }
      }
    });
  });
}

void AddShortRuns(const ProductRuns& runs, ProductSums& sums) {
  ForShortRuns(runs, [&](double a, double b, size_t i) { sums[i] += a * b; });
}

Moments MeasureShortRuns(const ProductRuns& runs) {
  Moments sum;
  ForShortRuns(runs, [&](double x, double y, size_t) {
    sum += {x * x, y * y, x * y};
  });
  return sum;
}

}  // namespace

Moments Measure(const Elements& a, const Elements& b, size_t count) {
  return REBASIN_DISPATCH(MeasurePair)(a, b, count);
}

Moments Measure(std::span<const float> a, std::span<const float> b) {
  return Measure(a.data(), b.data(), a.size());
}

Moments MeasureRuns(const ProductRuns& runs) {
  if (runs.length < 8) return MeasureShortRuns(runs);
  return REBASIN_DISPATCH(MeasureLongRuns)(runs);
}

void AddProducts(const ProductRuns& runs, ProductSums& sums) {
  if (runs.length < 8) return AddShortRuns(runs, sums);
  REBASIN_DISPATCH(AddLongRuns)(runs, sums);
}

}  // namespace rebasin
#endif  // HWY_ONCE
