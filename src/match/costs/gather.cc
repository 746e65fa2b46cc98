#include "match/costs/gather.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "match/costs/gather_kernel.h"

namespace rebasin {
namespace {

// The constant difference between offsets; 0 if there is none.
int64_t CommonStep(std::span<const int64_t> offsets) {
  if (offsets.size() < 2) return 1;
  const int64_t step = offsets[1] - offsets[0];
  for (size_t i = 2; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != step) return 0;
  }
  return step;
}

// For units that are adjacent in memory: one copy for each step.
void StoreRows(const float* data, size_t units, std::span<const int64_t> steps,
               int64_t width, float* out) {
  for (size_t s = 0; s < steps.size(); ++s) {
    std::memcpy(out + static_cast<int64_t>(s) * width, data + steps[s],
                units * sizeof(float));
  }
}

void SubtractRows(const float* data, size_t units,
                  std::span<const int64_t> steps, int64_t width, float* out) {
  for (size_t s = 0; s < steps.size(); ++s) {
    const float* from = data + steps[s];
    float* to = out + static_cast<int64_t>(s) * width;
    for (size_t u = 0; u < units; ++u) to[u] -= from[u];
  }
}

class Packer {
 public:
  explicit Packer(const GatherSource& source)
      : source_(source), adjacent_(CommonStep(source.units) == 1) {
    if (adjacent_) return;
    runs_ = RunsOf(source.steps);
    runs_subtracted_ = RunsOf(source.subtracted);
  }

  void operator()(const GemmPart& part, int64_t width, float* out) const {
    const auto stored = adjacent_ ? StoreRows : nullptr;
    Put(source_.steps, runs_, part, width, out, stored, StoreGathered);
    if (source_.subtracted.empty()) return;
    const auto subtracted = adjacent_ ? SubtractRows : nullptr;
    Put(source_.subtracted, runs_subtracted_, part, width, out, subtracted,
        SubtractGathered);
  }

 private:
  using PutRows = void(const float*, size_t, std::span<const int64_t>, int64_t,
                       float*);
  using PutPanel = void(const GatherPanel&, float*);

  // Uses the function for rows if one is given.
  void Put(std::span<const int64_t> steps, std::span<const uint8_t> runs,
           const GemmPart& part, int64_t width, float* out, PutRows* rows,
           PutPanel* panel) const {
    const auto units = source_.units.subspan(part.unit, part.count);
    steps = steps.subspan(part.step, part.steps);
    if (rows != nullptr) {
      return rows(source_.data + units[0], units.size(), steps, width, out);
    }
    for (size_t u = 0; u < units.size(); u += kMaxGatheredUnits) {
      panel({.data = source_.data,
             .units = units.subspan(
                 u, std::min(kMaxGatheredUnits, units.size() - u)),
             .steps = steps,
             .runs = runs.subspan(part.step, part.steps),
             .width = width},
            out + u);
    }
  }

  GatherSource source_;
  bool adjacent_;
  std::vector<uint8_t> runs_, runs_subtracted_;
};

}  // namespace

GemmPacker PackGathered(const GatherSource& source) { return Packer(source); }

}  // namespace rebasin
