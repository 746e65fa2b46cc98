#include "match/panel.h"

#include <algorithm>
#include <cstring>

namespace rebasin {
namespace {

// A stretch of positions whose offsets are consecutive.
struct Run {
  int64_t begin, count;
};

bool Continues(std::span<const int64_t> offsets, size_t i) {
  return offsets.empty() || offsets[i] == offsets[i - 1] + 1;
}

std::vector<Run> FindRuns(std::span<const int64_t> offsets,
                          std::span<const int64_t> also) {
  std::vector<Run> runs;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (i > 0 && Continues(offsets, i) && Continues(also, i)) {
      ++runs.back().count;
    } else {
      runs.push_back({static_cast<int64_t>(i), 1});
    }
  }
  return runs;
}

// The constant step between offsets; 0 where there is none.
int64_t CommonStep(std::span<const int64_t> offsets) {
  if (offsets.size() < 2) return 1;
  const int64_t step = offsets[1] - offsets[0];
  for (size_t i = 2; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != step) return 0;
  }
  return step;
}

// How tasks are cut does not matter to the values: each element is written
// once.
constexpr int64_t kElementsPerTask = int64_t{1} << 16;

template <typename Row>
void ForEachRow(int64_t rows, int64_t row_elements, ThreadPool& pool,
                const Row& row) {
  const int64_t per_task = std::max<int64_t>(
      1, kElementsPerTask / std::max<int64_t>(1, row_elements));
  const int64_t tasks = (rows + per_task - 1) / per_task;
  pool.For(tasks, [&](int64_t task) {
    const int64_t end = std::min(rows, (task + 1) * per_task);
    for (int64_t r = task * per_task; r < end; ++r) row(r);
  });
}

void CopyRun(const float* from, int64_t count, float* to) {
  // Short runs (a 3x3 kernel) are common; memcpy's dispatch would dominate.
  if (count < 16) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
  } else {
    std::memcpy(to, from, count * sizeof(float));
  }
}

void PackUnitMajor(const PanelSource& source, float* out, ThreadPool& pool) {
  const auto k = static_cast<int64_t>(source.contracted.size());
  const std::vector<Run> runs = FindRuns(source.contracted, source.subtracted);
  ForEachRow(source.units.size(), k, pool, [&](int64_t i) {
    const float* base = source.data + source.units[i];
    float* row = out + i * k;
    for (const Run& run : runs) {
      CopyRun(base + source.contracted[run.begin], run.count, row + run.begin);
    }
    if (source.subtracted.empty()) return;
    for (const Run& run : runs) {
      const float* from = base + source.subtracted[run.begin];
      for (int64_t r = 0; r < run.count; ++r) row[run.begin + r] -= from[r];
    }
  });
}

template <bool kSubtract>
void GatherRow(const float* from, std::span<const int64_t> offsets,
               int64_t step, float* out) {
  const auto n = static_cast<int64_t>(offsets.size());
  const auto put = [](float* slot, float value) {
    *slot = kSubtract ? *slot - value : value;
  };
  if (step == 1) {
    for (int64_t i = 0; i < n; ++i) put(out + i, from[offsets[0] + i]);
  } else if (step != 0) {
    const float* first = from + offsets[0];
    for (int64_t i = 0; i < n; ++i) put(out + i, first[i * step]);
  } else {
    for (int64_t i = 0; i < n; ++i) put(out + i, from[offsets[i]]);
  }
}

void PackContractMajor(const PanelSource& source, float* out,
                       ThreadPool& pool) {
  const auto n = static_cast<int64_t>(source.units.size());
  const int64_t step = CommonStep(source.units);
  ForEachRow(source.contracted.size(), n, pool, [&](int64_t k) {
    float* row = out + k * n;
    const float* from = source.data + source.contracted[k];
    GatherRow<false>(from, source.units, step, row);
    if (source.subtracted.empty()) return;
    GatherRow<true>(source.data + source.subtracted[k], source.units, step,
                    row);
  });
}

// The panel in place: rows with a constant stride, contiguous inside.
GemmOperand InPlace(const PanelSource& source, PanelOrder order) {
  const bool by_unit = order == PanelOrder::kUnitMajor;
  const auto rows = by_unit ? source.units : source.contracted;
  const auto columns = by_unit ? source.contracted : source.units;
  if (!source.subtracted.empty() || CommonStep(columns) != 1) return {};
  const int64_t stride =
      rows.size() < 2 ? static_cast<int64_t>(columns.size()) : CommonStep(rows);
  if (stride < static_cast<int64_t>(columns.size())) return {};
  return {.data = source.data + rows[0] + columns[0],
          .stride = stride,
          .transposed = !by_unit};
}

}  // namespace

GemmOperand Pack(const PanelSource& source, PanelOrder order,
                 std::vector<float>& buffer, ThreadPool& pool) {
  const GemmOperand in_place = InPlace(source, order);
  if (in_place.data != nullptr) return in_place;
  const size_t elements = source.units.size() * source.contracted.size();
  if (buffer.size() < elements) buffer.resize(elements);
  if (order == PanelOrder::kUnitMajor) {
    PackUnitMajor(source, buffer.data(), pool);
    return {.data = buffer.data(),
            .stride = static_cast<int64_t>(source.contracted.size()),
            .transposed = false};
  }
  PackContractMajor(source, buffer.data(), pool);
  return {.data = buffer.data(),
          .stride = static_cast<int64_t>(source.units.size()),
          .transposed = true};
}

}  // namespace rebasin
