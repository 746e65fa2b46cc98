// The style and the scripts of pages, built into the program.

#ifndef REBASIN_REPORT_WEB_H_
#define REBASIN_REPORT_WEB_H_

#include <string_view>

namespace rebasin {

std::string_view PageStyle();   // web/report.css
std::string_view PageScript();  // web/report.js
// Vega, Vega-Lite and vega-embed with their licences; empty if rebasin was
// built without them.
std::string_view VegaScript();

}  // namespace rebasin

#endif  // REBASIN_REPORT_WEB_H_
