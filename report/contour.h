// Maps of a function of two variables, such as the loss on a plane through
// three networks: filled levels, contour lines, points and paths.

#ifndef REBASIN_REPORT_CONTOUR_H_
#define REBASIN_REPORT_CONTOUR_H_

#include <filesystem>
#include <string>
#include <vector>

namespace rebasin {

struct Picture;

struct MapPoint {
  std::string name = {};
  double x = 0;
  double y = 0;
};

// A straight line between two places. Paths of the same name are drawn alike.
struct MapPath {
  MapPoint from = {};  // the names of the ends are not shown
  MapPoint to = {};
  std::string name = {};  // in the legend; empty: not there
};

struct Contour {
  std::string title = {};
  std::string subtitle = {};
  std::string x_label = {};
  std::string y_label = {};
  std::string z_label = {};    // beside the colours
  std::vector<double> x = {};  // the grid's columns, in ascending equal steps
  std::vector<double> y = {};  // the grid's rows, likewise
  std::vector<double> z = {};  // row by row; where not finite, nothing is drawn
  std::vector<MapPoint> points = {};
  std::vector<MapPath> paths = {};
  bool equal_axes = true;  // one unit is as long on both axes
};

// As WriteChart. Throws Error(kUsage) also if the grid has fewer than two rows
// or columns, is not regular, z has not one value for each of its points, none
// is finite, or points and paths are not finite.
void WriteContour(const Contour& contour, const std::filesystem::path& path,
                  bool force = false);

// The same as a picture for other files to hold.
Picture Draw(const Contour& contour);

}  // namespace rebasin

#endif  // REBASIN_REPORT_CONTOUR_H_
