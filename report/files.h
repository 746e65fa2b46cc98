// Writes a report as a folder: the page, the numbers as CSV and JSON, the
// pictures.

#ifndef REBASIN_REPORT_FILES_H_
#define REBASIN_REPORT_FILES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "report/document.h"

namespace rebasin {

// Writes report.html, report.json (everything), NAME.csv for each table and
// chart, and NAME.svg and NAME.png for each chart and map. Creates the folder.
// Each file appears complete or not at all; the page is written last, so its
// existence means that all others exist. Files of an older report that this one
// does not have are removed. Returns the names of the files. Throws
// Error(kUsage) if there is a page and `force` is false, Error(kIo) if writing
// fails.
std::vector<std::string> WriteReport(const Document& document,
                                     const std::filesystem::path& folder,
                                     bool force);

// Title, question, claims, tables and charts, with exact numbers.
std::string DocumentJson(const Document& document);

// Comma-separated values, quoted if necessary.
std::string TableCsv(const DataTable& table);
std::string FigureCsv(const Figure& figure);     // panel,line,x,y
std::string ContourCsv(const Contour& contour);  // x,y,z

}  // namespace rebasin

#endif  // REBASIN_REPORT_FILES_H_
