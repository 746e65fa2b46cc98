// Charts as Vega-Lite specifications, drawn by the page.

#ifndef REBASIN_REPORT_VEGA_H_
#define REBASIN_REPORT_VEGA_H_

#include <string>

#include "report/chart.h"
#include "report/contour.h"
#include "report/panel.h"

namespace rebasin {

// One panel that fills its element, with the colours of its figure. The JSON is
// safe in a script element.
std::string VegaSpec(const LineChart& chart, const SeriesColors& colors);
std::string VegaSpec(const Contour& contour);

// "#0072b2".
std::string HexColor(const Color& color);

}  // namespace rebasin

#endif  // REBASIN_REPORT_VEGA_H_
