#include "assignment/kernels.h"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "assignment/kernels.cc"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

#include "base/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace rebasin::assignment::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Float = hn::CappedTag<float, 16>;
using Double = hn::CappedTag<double, 8>;

// 0, 1, 2, ... in memory: Highway's Iota builds it on the stack at each call,
// and loading it from there stalls.
alignas(64) constexpr std::array<float, 16> kFloatColumns = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
alignas(64) constexpr std::array<double, 8> kDoubleColumns = {0, 1, 2, 3,
                                                              4, 5, 6, 7};

HWY_INLINE hn::Vec<Float> ColumnsFrom(Float d, size_t j) {
  const auto first = hn::Set(d, static_cast<float>(j));
  return hn::Add(hn::LoadU(d, kFloatColumns.data()), first);
}

HWY_INLINE hn::Vec<Double> ColumnsFrom(Double d, size_t j) {
  const auto first = hn::Set(d, static_cast<double>(j));
  return hn::Add(hn::LoadU(d, kDoubleColumns.data()), first);
}

HWY_INLINE hn::Vec<Float> LoadCosts(Float d, const float* costs) {
  return hn::LoadU(d, costs);
}

HWY_INLINE hn::Vec<Double> LoadCosts(Double d, const float* costs) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, Double>(), costs));
}

// The vector of costs that starts at j < n. A partial vector at the end is
// copied first, because reading past a row's end may mean reading past the
// matrix.
template <class D>
HWY_INLINE hn::Vec<D> CostsAt(D d, const float* costs, size_t j, size_t n) {
  if (HWY_LIKELY(j + hn::Lanes(d) <= n)) return LoadCosts(d, costs + j);
  std::array<float, 16> tail = {};
  std::memcpy(tail.data(), costs + j, (n - j) * sizeof(float));
  return LoadCosts(d, tail.data());
}

// The two smallest values of each lane, and the column of the smallest. The
// column has the type of the values, which is exact for any real n.
template <class D>
struct LaneMinima {
  using V = hn::Vec<D>;
  V best, second, column;

  explicit LaneMinima(D d)
      : best(hn::Set(d, kInfinity<hn::TFromD<D>>)),
        second(best),
        column(hn::Zero(d)) {}

  HWY_INLINE void Add(V value, V columns) {
    const auto smaller = hn::Lt(value, best);
    second = hn::Min(second, hn::Max(best, value));
    best = hn::Min(best, value);
    column = hn::IfThenElse(smaller, columns, column);
  }
};

// Reduces two sets of lanes to one result; among ties the lowest column.
template <class D>
HWY_INLINE Minima<hn::TFromD<D>> Reduce(D d, const LaneMinima<D>& a,
                                        const LaneMinima<D>& b) {
  using T = hn::TFromD<D>;
  const auto infinity = hn::Set(d, kInfinity<T>);
  const auto best = hn::MinOfLanes(d, hn::Min(a.best, b.best));
  const auto a_wins = hn::Eq(a.best, best);
  const auto b_wins = hn::Eq(b.best, best);
  const auto column =
      hn::MinOfLanes(d, hn::Min(hn::IfThenElse(a_wins, a.column, infinity),
                                hn::IfThenElse(b_wins, b.column, infinity)));
  const bool tie = hn::CountTrue(d, a_wins) + hn::CountTrue(d, b_wins) > 1;
  const auto losers = hn::Min(hn::IfThenElse(a_wins, infinity, a.best),
                              hn::IfThenElse(b_wins, infinity, b.best));
  const auto others =
      hn::MinOfLanes(d, hn::Min(hn::Min(a.second, b.second), losers));
  T second = hn::GetLane(tie ? best : others);
  // When Highway emulates vectors, its minimum of infinities is the largest
  // finite number.
  if (second == hwy::HighestValue<T>()) second = kInfinity<T>;
  return {hn::GetLane(best), second, static_cast<int32_t>(hn::GetLane(column))};
}

template <class D, typename T>
HWY_INLINE Minima<T> TwoMinimaOf(D d, const float* costs, T scale,
                                 const T* prices, size_t n) {
  const size_t lanes = hn::Lanes(d);
  const auto scales = hn::Set(d, scale);
  const auto stride = hn::Set(d, static_cast<T>(2 * lanes));
  // Two sets: each step of a single one would wait for the previous step.
  LaneMinima<D> even(d), odd(d);
  auto even_columns = ColumnsFrom(d, 0);
  auto odd_columns = ColumnsFrom(d, lanes);
  size_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    const auto first = LoadCosts(d, costs + j);
    const auto second = LoadCosts(d, costs + j + lanes);
    even.Add(hn::MulAdd(first, scales, hn::LoadU(d, prices + j)), even_columns);
    odd.Add(hn::MulAdd(second, scales, hn::LoadU(d, prices + j + lanes)),
            odd_columns);
    even_columns = hn::Add(even_columns, stride);
    odd_columns = hn::Add(odd_columns, stride);
  }
  for (; j < n; j += lanes) {
    const auto cost = CostsAt(d, costs, j, n);
    even.Add(hn::MulAdd(cost, scales, hn::LoadU(d, prices + j)),
             ColumnsFrom(d, j));
  }
  return Reduce(d, even, odd);
}

Minima<float> TwoMinimaFloat(const float* costs, float scale,
                             const float* prices, size_t n) {
  return TwoMinimaOf(Float(), costs, scale, prices, n);
}

Minima<double> TwoMinimaDouble(const float* costs, double scale,
                               const double* prices, size_t n) {
  return TwoMinimaOf(Double(), costs, scale, prices, n);
}

double Smallest(const float* costs, double scale, const double* prices,
                size_t n) {
  const Double d;
  const size_t lanes = hn::Lanes(d);
  const auto scales = hn::Set(d, scale);
  auto even = hn::Set(d, kInfinity<double>), odd = even;
  size_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    const auto first = LoadCosts(d, costs + j);
    const auto second = LoadCosts(d, costs + j + lanes);
    even = hn::Min(even, hn::MulAdd(first, scales, hn::LoadU(d, prices + j)));
    odd = hn::Min(odd,
                  hn::MulAdd(second, scales, hn::LoadU(d, prices + j + lanes)));
  }
  for (; j < n; j += lanes) {
    const auto cost = CostsAt(d, costs, j, n);
    even = hn::Min(even, hn::MulAdd(cost, scales, hn::LoadU(d, prices + j)));
  }
  return hn::GetLane(hn::MinOfLanes(d, hn::Min(even, odd)));
}

Minima<float> TwoMinimaOfList(const float* costs, const int32_t* columns,
                              const float* prices, size_t size) {
  const Float d;
  const hn::RebindToSigned<Float> di;
  LaneMinima<Float> minima(d);
  auto positions = ColumnsFrom(d, 0);
  const auto stride = hn::Set(d, static_cast<float>(hn::Lanes(d)));
  for (size_t k = 0; k < size; k += hn::Lanes(d)) {
    const auto price = hn::GatherIndex(d, prices, hn::LoadU(di, columns + k));
    minima.Add(hn::Add(hn::LoadU(d, costs + k), price), positions);
    positions = hn::Add(positions, stride);
  }
  return Reduce(d, minima, LaneMinima<Float>(d));
}

size_t ListBelow(const float* costs, float scale, const float* prices, size_t n,
                 float limit, size_t capacity, int32_t* columns,
                 float* list_costs) {
  const Float d;
  const auto scales = hn::Set(d, scale);
  const auto limits = hn::Set(d, limit);
  const hn::RebindToSigned<Float> di;
  size_t count = 0;
  for (size_t j = 0; j < n && count <= capacity; j += hn::Lanes(d)) {
    const auto scaled = hn::Mul(CostsAt(d, costs, j, n), scales);
    const auto below =
        hn::Lt(hn::Add(scaled, hn::LoadU(d, prices + j)), limits);
    if (hn::AllFalse(d, below)) continue;
    const auto indices = hn::ConvertTo(di, ColumnsFrom(d, j));
    // Stores whole vectors: compressing directly to memory is several times
    // slower.
    hn::StoreU(hn::Compress(indices, hn::RebindMask(di, below)), di,
               columns + count);
    hn::StoreU(hn::Compress(scaled, below), d, list_costs + count);
    count += hn::CountTrue(d, below);
  }
  return count;
}

Range FindRange(const float* costs, size_t n) {
  const Float d;
  auto low = hn::Set(d, costs[0]);
  auto high = low;
  // 0 * infinity and 0 * NaN are NaN, which persists
  auto poison = hn::Zero(d);
  size_t j = 0;
  for (; j + hn::Lanes(d) <= n; j += hn::Lanes(d)) {
    const auto cost = hn::LoadU(d, costs + j);
    low = hn::Min(low, cost);
    high = hn::Max(high, cost);
    poison = hn::MulAdd(cost, hn::Zero(d), poison);
  }
  Range range = {hn::GetLane(hn::MinOfLanes(d, low)),
                 hn::GetLane(hn::MaxOfLanes(d, high)), true};
  float sum = hn::GetLane(hn::SumOfLanes(d, poison));
  for (; j < n; ++j) {
    range.low = std::min(range.low, costs[j]);
    range.high = std::max(range.high, costs[j]);
    sum += 0 * costs[j];
  }
  range.finite = sum == 0;
  return range;
}

template <class D, typename T>
HWY_INLINE void LowerColumnsOf(D d, const float* costs, T scale, T subtract,
                               T* lowest, size_t n) {
  const auto scales = hn::Set(d, scale);
  const auto subtracts = hn::Set(d, subtract);
  for (size_t j = 0; j < n; j += hn::Lanes(d)) {
    const auto cost = CostsAt(d, costs, j, n);
    const auto value = hn::MulSub(cost, scales, subtracts);
    hn::StoreU(hn::Min(value, hn::LoadU(d, lowest + j)), d, lowest + j);
  }
}

void LowerColumnsFloat(const float* costs, float scale, float subtract,
                       float* lowest, size_t n) {
  LowerColumnsOf(Float(), costs, scale, subtract, lowest, n);
}

void LowerColumnsDouble(const float* costs, double scale, double subtract,
                        double* lowest, size_t n) {
  LowerColumnsOf(Double(), costs, scale, subtract, lowest, n);
}

double Relax(const float* costs, const RelaxStep& step, const double* prices,
             double* distance, double* from, size_t n) {
  const Double d;
  const auto scales = hn::Set(d, step.scale);
  const auto duals = hn::Set(d, step.dual);
  const auto starts = hn::Set(d, step.start);
  const auto rows = hn::Set(d, step.row);
  auto smallest = hn::Set(d, kInfinity<double>);
  for (size_t j = 0; j < n; j += hn::Lanes(d)) {
    const auto cost = CostsAt(d, costs, j, n);
    const auto priced = hn::MulAdd(cost, scales, hn::LoadU(d, prices + j));
    const auto length = hn::Add(hn::Sub(priced, duals), starts);
    const auto old = hn::LoadU(d, distance + j);
    const auto shorter = hn::Lt(length, old);
    smallest = hn::Min(smallest, hn::Min(length, old));
    if (!hn::AllFalse(d, shorter)) {
      hn::StoreU(hn::Min(length, old), d, distance + j);
      hn::BlendedStore(rows, shorter, d, from + j);
    }
  }
  return hn::GetLane(hn::MinOfLanes(d, smallest));
}

void AppendEqual(const double* distance, double value, size_t n,
                 std::vector<int32_t>* columns) {
  const Double d;
  const auto values = hn::Set(d, value);
  for (size_t j = 0; j < n; j += hn::Lanes(d)) {
    if (hn::AllFalse(d, hn::Eq(hn::LoadU(d, distance + j), values))) continue;
    const size_t end = std::min(n, j + hn::Lanes(d));
    for (size_t k = j; k < end; ++k) {
      if (distance[k] == value) columns->push_back(static_cast<int32_t>(k));
    }
  }
}

}  // namespace
}  // namespace rebasin::assignment::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rebasin::assignment {

REBASIN_EXPORT(FindRange);
REBASIN_EXPORT(TwoMinimaFloat);
REBASIN_EXPORT(TwoMinimaDouble);
REBASIN_EXPORT(Smallest);
REBASIN_EXPORT(TwoMinimaOfList);
REBASIN_EXPORT(ListBelow);
REBASIN_EXPORT(LowerColumnsFloat);
REBASIN_EXPORT(LowerColumnsDouble);
REBASIN_EXPORT(Relax);
REBASIN_EXPORT(AppendEqual);

Range FindRange(const float* costs, size_t n) {
  return REBASIN_DISPATCH(FindRange)(costs, n);
}

Minima<float> TwoMinima(const float* costs, float scale, const float* prices,
                        size_t n) {
  return REBASIN_DISPATCH(TwoMinimaFloat)(costs, scale, prices, n);
}

Minima<double> TwoMinima(const float* costs, double scale, const double* prices,
                         size_t n) {
  return REBASIN_DISPATCH(TwoMinimaDouble)(costs, scale, prices, n);
}

double Smallest(const float* costs, double scale, const double* prices,
                size_t n) {
  return REBASIN_DISPATCH(Smallest)(costs, scale, prices, n);
}

Minima<float> TwoMinimaOfList(const float* costs, const int32_t* columns,
                              const float* prices, size_t size) {
  return REBASIN_DISPATCH(TwoMinimaOfList)(costs, columns, prices, size);
}

size_t ListBelow(const float* costs, float scale, const float* prices, size_t n,
                 float limit, size_t capacity, int32_t* columns,
                 float* list_costs) {
  return REBASIN_DISPATCH(ListBelow)(costs, scale, prices, n, limit, capacity,
                                     columns, list_costs);
}

void LowerColumns(const float* costs, float scale, float subtract,
                  float* lowest, size_t n) {
  REBASIN_DISPATCH(LowerColumnsFloat)(costs, scale, subtract, lowest, n);
}

void LowerColumns(const float* costs, double scale, double subtract,
                  double* lowest, size_t n) {
  REBASIN_DISPATCH(LowerColumnsDouble)(costs, scale, subtract, lowest, n);
}

double Relax(const float* costs, const RelaxStep& step, const double* prices,
             double* distance, double* from, size_t n) {
  return REBASIN_DISPATCH(Relax)(costs, step, prices, distance, from, n);
}

void AppendEqual(const double* distance, double value, size_t n,
                 std::vector<int32_t>* columns) {
  REBASIN_DISPATCH(AppendEqual)(distance, value, n, columns);
}

}  // namespace rebasin::assignment
#endif  // HWY_ONCE
