// The positions of segments on an axis.

#ifndef REBASIN_SYMMETRY_PLACEMENT_H_
#define REBASIN_SYMMETRY_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "rebasin/symmetry.h"

namespace rebasin {

struct PlacedSegment {
  int64_t offset = 0;            // of its first index
  std::vector<int64_t> strides;  // one for each factor
};

// Clears `shared` if it is all zeros, so that an axis without parentheses has
// one representation only.
void ClearUnusedShared(Axis& axis);

// One element for each segment. Requires that the size of the axis does not
// overflow.
std::vector<PlacedSegment> PlaceSegments(const Axis& axis);

// The end of the run of segments that starts at `begin` and share more than
// `depth` factors.
size_t EndOfRun(const Axis& axis, size_t begin, size_t end, int depth);

// The number of factors that all segments of [begin, end) share. For a single
// segment, all of its factors.
int CommonFactors(const Axis& axis, size_t begin, size_t end);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_PLACEMENT_H_
