// Checks maps, and computes their extent.

#ifndef REBASIN_REPORT_CONTOUR_CHECK_H_
#define REBASIN_REPORT_CONTOUR_CHECK_H_

#include "report/contour.h"
#include "report/ticks.h"

namespace rebasin {

// Throws Error(kUsage) as described at WriteContour.
void CheckContour(const Contour& contour);

// The extent of the grid and all marks along x or y.
Range Extent(const Contour& contour, bool along_x);

}  // namespace rebasin

#endif  // REBASIN_REPORT_CONTOUR_CHECK_H_
