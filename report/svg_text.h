// Adds searchable text to SVG files, whose letters are shapes.

#ifndef REBASIN_REPORT_SVG_TEXT_H_
#define REBASIN_REPORT_SVG_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace rebasin {

// Returns the document with a <title>, and a <desc> of one line for each of
// `texts`, as the first elements of its root. Names that count the drawings of
// the process are replaced, so that equal pictures have equal bytes.
std::string WithTexts(std::string_view svg, const std::string& title,
                      const std::vector<std::string>& texts);

// Escapes `text` as character data of XML.
std::string XmlText(std::string_view text);

}  // namespace rebasin

#endif  // REBASIN_REPORT_SVG_TEXT_H_
