#include "symmetry/placement.h"

#include <algorithm>

namespace rebasin {
namespace {

class Placer {
 public:
  explicit Placer(const Axis& axis)
      : axis_(axis), placed_(axis.segments.size()) {
    for (size_t s = 0; s < placed_.size(); ++s) {
      placed_[s].strides.resize(axis.segments[s].size(), 1);
    }
  }

  std::vector<PlacedSegment> Run() {
    PlaceSum(0, placed_.size(), 0, 0);
    return std::move(placed_);
  }

 private:
  // Places the factors from `depth` on of the segments [begin, end), one run
  // after the other, starting at `offset`. Returns the total size.
  int64_t PlaceSum(size_t begin, size_t end, int depth, int64_t offset) {
    int64_t size = 0;
    for (size_t next = begin; begin < end; begin = next) {
      next = EndOfRun(axis_, begin, end, depth);
      size += PlaceProduct(begin, next, depth, offset + size);
    }
    return size;
  }

  // Places the factors that the run shares, around the sum of the other
  // factors.
  int64_t PlaceProduct(size_t begin, size_t end, int depth, int64_t offset) {
    const int common = CommonFactors(axis_, begin, end);
    int64_t stride = 1;
    if (end - begin > 1) {
      stride = PlaceSum(begin, end, common, offset);
    } else {
      placed_[begin].offset = offset;
    }
    for (int f = common; f-- > depth;) {
      for (size_t s = begin; s < end; ++s) placed_[s].strides[f] = stride;
      stride *= axis_.segments[begin][f].size;
    }
    return stride;
  }

  const Axis& axis_;
  std::vector<PlacedSegment> placed_;
};

}  // namespace

size_t EndOfRun(const Axis& axis, size_t begin, size_t end, int depth) {
  size_t next = begin + 1;
  while (next < end && axis.Shared(next) > depth) ++next;
  return next;
}

int CommonFactors(const Axis& axis, size_t begin, size_t end) {
  int common = static_cast<int>(axis.segments[begin].size());
  for (size_t s = begin + 1; s < end; ++s) {
    common = std::min(common, axis.Shared(s));
  }
  return common;
}

void ClearUnusedShared(Axis& axis) {
  const bool plain = std::all_of(axis.shared.begin(), axis.shared.end(),
                                 [](int shared) { return shared == 0; });
  if (plain) axis.shared.clear();
}

std::vector<PlacedSegment> PlaceSegments(const Axis& axis) {
  return Placer(axis).Run();
}

}  // namespace rebasin
