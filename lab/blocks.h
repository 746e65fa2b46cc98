// Lines between networks as charts and tables of a report.

#ifndef REBASIN_LAB_BLOCKS_H_
#define REBASIN_LAB_BLOCKS_H_

#include <string>
#include <vector>

#include "lab/line_charts.h"
#include "report/document.h"

namespace rebasin::lab {

// Loss and accuracy side by side; training data solid, test data dashed.
Plot LinesPlot(const std::string& name, const std::string& title,
               const std::string& caption, const std::vector<NamedLine>& lines);

// One row for each line: its barriers and midpoint.
DataTable LinesTable(const std::string& name, const std::string& caption,
                     const std::vector<NamedLine>& lines);

Cell NumberCell(double value, int digits = 4);
Cell PercentCell(double share);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_BLOCKS_H_
