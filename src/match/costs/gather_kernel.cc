#include "match/costs/gather_kernel.h"

#include <algorithm>
#include <array>
#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "match/costs/gather_kernel.cc"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

#include "base/dispatch.h"
#include "tensor/load_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rebasin::HWY_NAMESPACE {
namespace {

enum class Put { kStore, kSubtract };

// The first element of each unit of a panel.
template <typename T>
using Rows = std::array<const T*, kMaxGatheredUnits>;

template <Put kPut, class D>
HWY_INLINE void PutVector(D d, hn::Vec<D> value, float* to) {
  if constexpr (kPut == Put::kSubtract) {
    value = hn::Sub(hn::LoadU(d, to), value);
  }
  hn::StoreU(value, d, to);
}

#if HWY_TARGET != HWY_SCALAR

// Four elements of each fourth row, one row in each block of 128 bits.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const T* const* rows, int64_t step) {
  if constexpr (hn::MaxLanes(D()) <= 4) {
    return LoadFloats(d, rows[0] + step);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadBlocks(half, rows + hn::MaxLanes(D()) / 2, step),
                       LoadBlocks(half, rows, step));
  }
}

// Stores four steps of a vector of units, transposed in blocks.
template <Put kPut, class D, typename T>
HWY_INLINE void PutFourSteps(D d, const T* const* rows, int64_t step,
                             int64_t width, float* to) {
  const hn::Repartition<double, D> pairs;
  const auto a = LoadBlocks(d, rows, step), b = LoadBlocks(d, rows + 1, step);
  const auto c = LoadBlocks(d, rows + 2, step);
  const auto e = LoadBlocks(d, rows + 3, step);
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  const auto put = [&](auto value, int64_t s) HWY_ATTR {
    PutVector<kPut>(d, hn::BitCast(d, value), to + s * width);
  };
  put(hn::InterleaveLower(pairs, ab_low, ce_low), 0);
  put(hn::InterleaveUpper(pairs, ab_low, ce_low), 1);
  put(hn::InterleaveLower(pairs, ab_high, ce_high), 2);
  put(hn::InterleaveUpper(pairs, ab_high, ce_high), 3);
}

template <Put kPut, class D, typename T>
HWY_INLINE size_t PutUnits(D d, const Rows<T>& rows, size_t unit, size_t count,
                           int64_t step, int64_t width, float* to) {
  constexpr size_t kLanes = hn::MaxLanes(D());
  for (; unit + kLanes <= count; unit += kLanes) {
    PutFourSteps<kPut>(d, &rows[unit], step, width, to + unit);
  }
  return unit;
}

// Stores four steps of all units that fill whole vectors; returns their number.
template <Put kPut, typename T>
HWY_INLINE size_t PutWhole(const Rows<T>& rows, size_t count, int64_t step,
                           int64_t width, float* to) {
  size_t unit = 0;
  unit = PutUnits<kPut>(hn::CappedTag<float, 16>(), rows, unit, count, step,
                        width, to);
  unit = PutUnits<kPut>(hn::CappedTag<float, 8>(), rows, unit, count, step,
                        width, to);
  return PutUnits<kPut>(hn::CappedTag<float, 4>(), rows, unit, count, step,
                        width, to);
}

#else

template <Put kPut, typename T>
HWY_INLINE size_t PutWhole(const Rows<T>&, size_t, int64_t, int64_t, float*) {
  return 0;
}

#endif  // HWY_TARGET != HWY_SCALAR

template <Put kPut, typename T>
HWY_INLINE void PutScalars(const Rows<T>& rows, size_t unit, size_t count,
                           int64_t step, int64_t steps, int64_t width,
                           float* to) {
  for (; unit < count; ++unit) {
    for (int64_t s = 0; s < steps; ++s) {
      float& target = to[s * width + static_cast<int64_t>(unit)];
      const float value = AsFloat(rows[unit][step + s]);
      target = kPut == Put::kStore ? value : target - value;
    }
  }
}

template <Put kPut, typename T>
HWY_INLINE void PutPanel(const T* data, const GatherPanel& panel, float* out) {
  const size_t count = panel.units.size();
  assert(count <= kMaxGatheredUnits);
  Rows<T> rows;
  for (size_t u = 0; u < count; ++u) rows[u] = data + panel.units[u];
  for (size_t s = 0; s < panel.steps.size();) {
    const int64_t step = panel.steps[s];
    const size_t run = std::min<size_t>(panel.runs[s], panel.steps.size() - s);
    float* to = out + static_cast<int64_t>(s) * panel.width;
    const size_t u =
        run == 4 ? PutWhole<kPut>(rows, count, step, panel.width, to) : 0;
    PutScalars<kPut>(rows, u, count, step, static_cast<int64_t>(run),
                     panel.width, to);
    s += run;
  }
}

template <Put kPut, typename T>
HWY_INLINE void PutRow(const T* from, size_t count, float* to) {
  const hn::CappedTag<float, 16> d;
  constexpr size_t kLanes = hn::MaxLanes(hn::CappedTag<float, 16>());
  size_t u = 0;
  for (; u + kLanes <= count; u += kLanes) {
    PutVector<kPut>(d, LoadFloats(d, from + u), to + u);
  }
  for (; u < count; ++u) {
    const float value = AsFloat(from[u]);
    to[u] = kPut == Put::kStore ? value : to[u] - value;
  }
}

template <Put kPut>
HWY_INLINE void PutAdjacent(const AdjacentPanel& panel, float* out) {
  panel.data.Visit([&](const auto* data) HWY_ATTR {
    for (size_t s = 0; s < panel.steps.size(); ++s) {
      PutRow<kPut>(data + panel.steps[s], static_cast<size_t>(panel.units),
                   out + static_cast<int64_t>(s) * panel.width);
    }
  });
}

void StorePanel(const GatherPanel& panel, float* out) {
  panel.data.Visit([&](const auto* data)
                       HWY_ATTR { PutPanel<Put::kStore>(data, panel, out); });
}

void SubtractPanel(const GatherPanel& panel, float* out) {
  panel.data.Visit([&](const auto* data) HWY_ATTR {
    PutPanel<Put::kSubtract>(data, panel, out);
  });
}

void StoreRows(const AdjacentPanel& panel, float* out) {
  PutAdjacent<Put::kStore>(panel, out);
}

void SubtractRows(const AdjacentPanel& panel, float* out) {
  PutAdjacent<Put::kSubtract>(panel, out);
}

}  // namespace
}  // namespace rebasin::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rebasin {

REBASIN_EXPORT(StorePanel);
REBASIN_EXPORT(SubtractPanel);
REBASIN_EXPORT(StoreRows);
REBASIN_EXPORT(SubtractRows);

std::vector<uint8_t> RunsOf(std::span<const int64_t> steps) {
  const size_t n = steps.size();
  // Whether the next step is adjacent in memory; without branches, so that the
  // compiler vectorises both loops.
  std::vector<uint8_t> beside(n + 2, 0), runs(n);
  for (size_t s = 0; s + 1 < n; ++s) beside[s] = steps[s + 1] == steps[s] + 1;
  for (size_t s = 0; s < n; ++s) {
    runs[s] = static_cast<uint8_t>(
        1 + beside[s] * (1 + beside[s + 1] * (1 + beside[s + 2])));
  }
  return runs;
}

void StoreGathered(const GatherPanel& panel, float* out) {
  REBASIN_DISPATCH(StorePanel)(panel, out);
}

void SubtractGathered(const GatherPanel& panel, float* out) {
  REBASIN_DISPATCH(SubtractPanel)(panel, out);
}

void StoreAdjacent(const AdjacentPanel& panel, float* out) {
  REBASIN_DISPATCH(StoreRows)(panel, out);
}

void SubtractAdjacent(const AdjacentPanel& panel, float* out) {
  REBASIN_DISPATCH(SubtractRows)(panel, out);
}

}  // namespace rebasin
#endif  // HWY_ONCE
