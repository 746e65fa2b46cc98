// A report as one self-contained page, readable without scripts, on small
// screens, in dark mode and on paper.

#ifndef REBASIN_REPORT_HTML_H_
#define REBASIN_REPORT_HTML_H_

#include <string>

#include "report/document.h"

namespace rebasin {

// Returns the page; equal documents give equal bytes. Texts may be anything.
// Charts are interactive if rebasin was built with Vega-Lite. Static pictures,
// and the numbers as collapsed tables, are always included. Throws what drawing
// the charts throws.
std::string Html(const Document& document);

}  // namespace rebasin

#endif  // REBASIN_REPORT_HTML_H_
