// Maps of a function of two variables, such as the loss on a plane through
// three networks, with filled levels, contour lines, points and paths.

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

// A straight line between two points. Paths with the same name look alike.
struct MapPath {
  MapPoint from = {};  // the names of the ends are not shown
  MapPoint to = {};
  std::string name = {};  // in the legend; empty: not shown
};

struct Contour {
  std::string title = {};
  std::string subtitle = {};
  std::string x_label = {};
  std::string y_label = {};
  std::string z_label = {};    // at the colour bar
  std::vector<double> x = {};  // the grid's columns, in ascending equal steps
  std::vector<double> y = {};  // the grid's rows, in ascending equal steps
  std::vector<double> z = {};  // row by row; not drawn where not finite
  std::vector<MapPoint> points = {};
  std::vector<MapPath> paths = {};
  bool equal_axes = true;  // units have the same length on both axes
};

// Writes a map like WriteChart. Also throws Error(kUsage) if the grid has fewer
// than two rows or columns or is not regular, if z does not have one value for
// each point or no finite value, or if points and paths are not finite.
void WriteContour(const Contour& contour, const std::filesystem::path& path,
                  bool force = false);

// Returns a picture for embedding in other files.
Picture Draw(const Contour& contour);

}  // namespace rebasin

#endif  // REBASIN_REPORT_CONTOUR_H_
