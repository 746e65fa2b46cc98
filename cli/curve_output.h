// Lines between models as text tables, CSV and JSON.

#ifndef REBASIN_CLI_CURVE_OUTPUT_H_
#define REBASIN_CLI_CURVE_OUTPUT_H_

#include <filesystem>
#include <string>
#include <vector>

#include "cli/console.h"
#include "lab/line_charts.h"

namespace rebasin::cli {

// One row for each point, with the losses and accuracies of all lines; then one
// row for each line with its barriers.
std::string CurveText(const std::vector<NamedLine>& lines);
// line,lambda,part,loss,accuracy,calibration_error
std::string CurveCsv(const std::vector<NamedLine>& lines);
Json CurveJson(const std::vector<NamedLine>& lines);
// Throws unless a picture can be written to `path`; empty: no picture.
void CheckPictureOutput(const std::filesystem::path& path,
                        const Context& context);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_CURVE_OUTPUT_H_
