// Draws points and paths on a map.

#ifndef REBASIN_REPORT_MAP_MARKS_H_
#define REBASIN_REPORT_MAP_MARKS_H_

#include <vector>

#include "report/axes.h"
#include "report/canvas.h"
#include "report/contour.h"
#include "report/legend.h"

namespace rebasin {

// The legend: one entry for each path name.
std::vector<LegendEntry> PathEntries(const Contour& contour);

void DrawPaths(Canvas& canvas, const Axes& axes, const Contour& contour);
void DrawPoints(Canvas& canvas, const Axes& axes, const Contour& contour);

}  // namespace rebasin

#endif  // REBASIN_REPORT_MAP_MARKS_H_
