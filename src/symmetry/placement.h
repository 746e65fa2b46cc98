// Where the segments of an axis lie on it.

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

// An axis without parentheses says so in one way only: `shared` is empty.
void ForgetIfNothingIsShared(Axis& axis);

// One for each segment. Requires that the size of the axis does not overflow.
std::vector<PlacedSegment> PlaceSegments(const Axis& axis);

// The end of the run of segments that starts at `begin`: those that share more
// than `depth` factors with it.
size_t EndOfRun(const Axis& axis, size_t begin, size_t end, int depth);

// How many factors all segments of the run [begin, end) share; those of the
// segment itself if it is alone.
int CommonFactors(const Axis& axis, size_t begin, size_t end);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_PLACEMENT_H_
