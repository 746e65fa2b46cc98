// A report as one page: everything in it, nothing fetched, readable without
// scripts, on a phone, in the dark and on paper.

#ifndef REBASIN_REPORT_HTML_H_
#define REBASIN_REPORT_HTML_H_

#include <string>

#include "report/document.h"

namespace rebasin {

// The same document gives the same bytes. Texts may be anything. Charts can be
// pointed at if rebasin was built with Vega-Lite; the still pictures are there
// in any case, and so are the numbers, as tables to unfold. Throws what drawing
// the charts throws.
std::string Html(const Document& document);

}  // namespace rebasin

#endif  // REBASIN_REPORT_HTML_H_
