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

// out[u] = from[offset of u], for the units of one part.
class UnitReader {
 public:
  UnitReader(std::span<const int64_t> units, int64_t step)
      : units_(units), step_(step) {}

  void Copy(const float* from, float* out) const {
    const auto count = static_cast<int64_t>(units_.size());
    if (step_ == 1) {
      std::memcpy(out, from + units_[0], count * sizeof(float));
    } else if (step_ != 0) {
      const float* first = from + units_[0];
      for (int64_t u = 0; u < count; ++u) out[u] = first[u * step_];
    } else {
      for (int64_t u = 0; u < count; ++u) out[u] = from[units_[u]];
    }
  }

  void Subtract(const float* from, float* out) const {
    for (size_t u = 0; u < units_.size(); ++u) out[u] -= from[units_[u]];
  }

 private:
  std::span<const int64_t> units_;
  int64_t step_;
};

}  // namespace

GemmPacker PackGathered(const GatherSource& source) {
  const int64_t unit_step = CommonStep(source.units);
  return [=](const GemmPart& part, int64_t width, float* out) {
    const UnitReader units(source.units.subspan(part.unit, part.count),
                           unit_step);
    for (int64_t s = 0; s < part.steps; ++s) {
      float* row = out + s * width;
      units.Copy(source.data + source.steps[part.step + s], row);
      if (source.subtracted.empty()) continue;
      units.Subtract(source.data + source.subtracted[part.step + s], row);
    }
  };
}

}  // namespace rebasin
