// Line charts, and figures of several side by side.
//
// The same code draws .svg and .png files, without a browser. Texts are UTF-8;
// numbers do not depend on the locale.

#ifndef REBASIN_REPORT_CHART_H_
#define REBASIN_REPORT_CHART_H_

#include <filesystem>
#include <string>
#include <vector>

namespace rebasin {

struct Picture;

inline constexpr int kNextColor = -1;

struct Series {
  std::string name = {};       // in the legend; empty: not shown
  std::string full_name = {};  // beside its numbers; empty: `name`
  std::vector<double> x = {};
  std::vector<double> y = {};  // values that are not finite interrupt the line
  bool emphasis = false;       // a thicker line, above the others
  bool dashes = false;
  // An index in the palette of seven colours, modulo seven. By default each new
  // name takes the next colour, and after seven colours lines are dashed.
  int color = kNextColor;
};

const std::string& FullName(const Series& series);

struct LineChart {
  std::string title = {};
  std::string subtitle = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<Series> series = {};
  // values that are not positive are omitted
  bool log_x = false, log_y = false;
};

// Panels with a common legend; series of the same name look alike. Each panel
// has its title above it.
struct Figure {
  std::string title = {};
  std::string subtitle = {};
  std::vector<LineChart> panels = {};
};

// Writes an .svg file, or a .png file of twice the resolution, depending on the
// extension. The file appears complete or not at all. Throws Error(kUsage) for
// other extensions, if the file exists and `force` is false, and for charts
// without content: no panel or series, x and y of different lengths, no finite
// point in a panel. Throws Error(kIo) if writing fails.
void WriteChart(const LineChart& chart, const std::filesystem::path& path,
                bool force = false);
void WriteFigure(const Figure& figure, const std::filesystem::path& path,
                 bool force = false);

// Returns a picture for embedding in other files.
Picture Draw(const Figure& figure);

}  // namespace rebasin

#endif  // REBASIN_REPORT_CHART_H_
