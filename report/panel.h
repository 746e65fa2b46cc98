// One panel of a figure: a line chart in a box.

#ifndef REBASIN_REPORT_PANEL_H_
#define REBASIN_REPORT_PANEL_H_

#include <map>
#include <string>

#include "report/canvas.h"
#include "report/chart.h"
#include "report/geometry.h"

namespace rebasin {

// Throws Error(kUsage) for charts without series, or with x and y of different
// lengths.
void CheckChart(const LineChart& chart);

// The automatic colours of a figure, by name of the series.
using SeriesColors = std::map<std::string, int>;
SeriesColors ColorsByName(const Figure& figure);

Stroke StrokeOf(const Series& series, const SeriesColors& colors);

// Draws numbers, labels and the title inside `place` too. Throws Error(kUsage)
// if there is no finite point.
void DrawPanel(Canvas& canvas, const LineChart& chart,
               const SeriesColors& colors, Box place);

}  // namespace rebasin

#endif  // REBASIN_REPORT_PANEL_H_
