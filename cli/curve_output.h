// Lines between models as tables, CSV, JSON and pictures.

#ifndef REBASIN_CLI_CURVE_OUTPUT_H_
#define REBASIN_CLI_CURVE_OUTPUT_H_

#include <filesystem>
#include <string>
#include <vector>

#include "cli/console.h"
#include "rebasin/interpolate.h"

namespace rebasin::cli {

struct NamedLine {
  std::string name;  // "naive", "aligned", "aligned, bn"
  Line line;
};

// One row a point, the losses and accuracies of all lines side by side; then
// one row a line with its barriers.
std::string CurveText(const std::vector<NamedLine>& lines);
// line,lambda,part,loss,accuracy,calibration_error
std::string CurveCsv(const std::vector<NamedLine>& lines);
Json CurveJson(const std::vector<NamedLine>& lines);
// Throws unless a picture can be written there; "" is none.
void CheckPictureOutput(const std::filesystem::path& path, bool force);

// Loss and accuracy side by side; training data solid, test data dashed. More
// than a few lines have one entry each in the legend.
void WriteCurves(const std::vector<NamedLine>& lines, const std::string& title,
                 const std::filesystem::path& path, bool force);

// Lines that belong together, for a panel of its own.
struct LineGroup {
  std::string title;
  std::vector<NamedLine> lines;
};

// The losses of each group side by side; lines of one name are drawn alike.
void WriteLosses(const std::vector<LineGroup>& groups, const std::string& title,
                 const std::filesystem::path& path, bool force);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_CURVE_OUTPUT_H_
