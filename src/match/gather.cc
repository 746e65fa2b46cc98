#include "match/gather.h"

#include <cstring>

namespace rebasin {
namespace {

// The constant distance between offsets; 0 where there is none.
int64_t CommonStep(std::span<const int64_t> offsets) {
  if (offsets.size() < 2) return 1;
  const int64_t step = offsets[1] - offsets[0];
  for (size_t i = 2; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != step) return 0;
  }
  return step;
}

enum class Put { kStore, kSubtract };

// Units side by side in memory: one copy for each step.
template <Put kPut>
void PutRows(const float* data, std::span<const int64_t> units,
             std::span<const int64_t> steps, int64_t width, float* out) {
  for (size_t s = 0; s < steps.size(); ++s) {
    const float* from = data + units[0] + steps[s];
    float* to = out + static_cast<int64_t>(s) * width;
    if constexpr (kPut == Put::kStore) {
      std::memcpy(to, from, units.size() * sizeof(float));
    } else {
      for (size_t u = 0; u < units.size(); ++u) to[u] -= from[u];
    }
  }
}

// Four floats, and the transposition of four times four: what the compiler
// would not find by itself, in vectors that every target has.
using Four = float __attribute__((vector_size(16), aligned(4), may_alias));

template <Put kPut>
void Store(Four value, float* to) {
  Four& target = *reinterpret_cast<Four*>(to);
  if constexpr (kPut == Put::kStore) {
    target = value;
  } else {
    target -= value;
  }
}

template <Put kPut>
void TransposeFour(const float* const from[4], int64_t width, float* out) {
  const auto load = [](const float* x) {
    return *reinterpret_cast<const Four*>(x);
  };
  const Four a = load(from[0]), b = load(from[1]);
  const Four c = load(from[2]), d = load(from[3]);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  Store<kPut>(__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), out);
  Store<kPut>(__builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7), out + width);
  Store<kPut>(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
              out + 2 * width);
  Store<kPut>(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7),
              out + 3 * width);
}

// How many steps from `s` on lie side by side in memory, up to four.
size_t RunAt(std::span<const int64_t> steps, size_t s) {
  size_t run = 1;
  while (run < 4 && s + run < steps.size() &&
         steps[s + run] == steps[s] + static_cast<int64_t>(run)) {
    ++run;
  }
  return run;
}

// Units far apart: their rows are read four steps at a time where those lie
// together (the positions of a kernel do), and transposed.
template <Put kPut>
void PutTransposed(const float* data, std::span<const int64_t> units,
                   std::span<const int64_t> steps, int64_t width, float* out) {
  const size_t whole = units.size() / 4 * 4;
  for (size_t s = 0; s < steps.size();) {
    const size_t run = RunAt(steps, s);
    const float* from = data + steps[s];
    float* to = out + static_cast<int64_t>(s) * width;
    size_t u = 0;
    if (run == 4) {
      for (; u < whole; u += 4) {
        const float* const rows[4] = {from + units[u], from + units[u + 1],
                                      from + units[u + 2], from + units[u + 3]};
        TransposeFour<kPut>(rows, width, to + u);
      }
    }
    for (; u < units.size(); ++u) {
      for (size_t r = 0; r < run; ++r) {
        float& target = to[static_cast<int64_t>(r) * width + u];
        const float value = from[units[u] + static_cast<int64_t>(r)];
        target = kPut == Put::kStore ? value : target - value;
      }
    }
    s += run;
  }
}

}  // namespace

GemmPacker PackGathered(const GatherSource& source) {
  const bool adjacent = CommonStep(source.units) == 1;
  return [source, adjacent](const GemmPart& part, int64_t width, float* out) {
    const auto units = source.units.subspan(part.unit, part.count);
    const auto steps = source.steps.subspan(part.step, part.steps);
    (adjacent ? PutRows<Put::kStore> : PutTransposed<Put::kStore>)(source.data,
                                                                   units, steps,
                                                                   width, out);
    if (source.subtracted.empty()) return;
    const auto subtracted = source.subtracted.subspan(part.step, part.steps);
    (adjacent ? PutRows<Put::kSubtract>
              : PutTransposed<Put::kSubtract>)(source.data, units, subtracted,
                                               width, out);
  };
}

}  // namespace rebasin
