// Line charts, and figures of several side by side.
//
// Drawn without a browser, by the same code into .svg and .png files. Texts are
// UTF-8; numbers look the same in every locale.

#ifndef REBASIN_REPORT_CHART_H_
#define REBASIN_REPORT_CHART_H_

#include <filesystem>
#include <string>
#include <vector>

namespace rebasin {

struct Picture;

inline constexpr int kNextColor = -1;

struct Series {
  std::string name = {};       // in the legend; empty: not there
  std::string full_name = {};  // beside its numbers; empty: the same
  std::vector<double> x = {};
  std::vector<double> y = {};  // what is not finite interrupts the line
  bool emphasis = false;       // a thicker line, above the others
  bool dashes = false;
  // Of the palette of seven, counted round. By default series take one after
  // another, those of one name the same; every second round is dashed.
  int color = kNextColor;
};

const std::string& FullName(const Series& series);

struct LineChart {
  std::string title = {};
  std::string subtitle = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<Series> series = {};
  bool log_x = false, log_y = false;  // what is not positive is not shown
};

// Panels with one legend; series of one name are drawn alike in all of them.
// The titles of the panels stand above each.
struct Figure {
  std::string title = {};
  std::string subtitle = {};
  std::vector<LineChart> panels = {};
};

// The file's ending says what is written: .svg, or .png in twice the
// resolution. It appears complete or not at all. Throws Error(kUsage) for other
// endings, if the file exists and `force` is off, and for charts with nothing
// to show: no panel or series, x and y of different lengths, no finite point in
// a panel. Throws Error(kIo) if the system refuses.
void WriteChart(const LineChart& chart, const std::filesystem::path& path,
                bool force = false);
void WriteFigure(const Figure& figure, const std::filesystem::path& path,
                 bool force = false);

// The same as a picture for other files to hold.
Picture Draw(const Figure& figure);

}  // namespace rebasin

#endif  // REBASIN_REPORT_CHART_H_
