#include "match/costs/gather.h"

#include <algorithm>
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

class Packer {
 public:
  explicit Packer(const GatherSource& source)
      : source_(source), adjacent_(CommonStep(source.units) == 1) {
    if (adjacent_) return;
    runs_ = RunsOf(source.steps);
    runs_subtracted_ = RunsOf(source.subtracted);
  }

  void operator()(const GemmPart& part, int64_t width, float* out) const {
    Put(source_.steps, runs_, part, width, out, StoreAdjacent, StoreGathered);
    if (source_.subtracted.empty()) return;
    Put(source_.subtracted, runs_subtracted_, part, width, out,
        SubtractAdjacent, SubtractGathered);
  }

 private:
  using PutRows = void(const AdjacentPanel&, float*);
  using PutPanel = void(const GatherPanel&, float*);

  void Put(std::span<const int64_t> steps, std::span<const uint8_t> runs,
           const GemmPart& part, int64_t width, float* out, PutRows* rows,
           PutPanel* panel) const {
    const auto units = source_.units.subspan(part.unit, part.count);
    steps = steps.subspan(part.step, part.steps);
    if (adjacent_) {
      return rows({.data = source_.data + units[0],
                   .units = part.count,
                   .steps = steps,
                   .width = width},
                  out);
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
