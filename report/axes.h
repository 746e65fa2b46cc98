// Two axes around a box: maps data to positions, and draws the grid, ticks and
// labels.

#ifndef REBASIN_REPORT_AXES_H_
#define REBASIN_REPORT_AXES_H_

#include <string>
#include <vector>

#include "report/canvas.h"
#include "report/geometry.h"
#include "report/ticks.h"

namespace rebasin {

struct PlotAxis {
  Range range;
  bool log = false;  // requires range.low > 0
  std::string label;
  std::vector<Tick> ticks;

  // The position of a value: 0 at the low end, 1 at the high end.
  double Share(double value) const;
};

struct Axes {
  PlotAxis x;
  PlotAxis y;
  Box box;             // the area of the data, without numbers and labels
  bool grid = true;    // horizontal lines at the ticks of y
  bool frame = false;  // lines on all four sides

  Point At(double x_value, double y_value) const;
};

inline constexpr double kTickSize = 13;
inline constexpr double kLabelSize = 14.5;

// The space that numbers and labels need.
double RoomBelow(const PlotAxis& x);
double RoomLeft(Canvas& canvas, const PlotAxis& y);

// Returns as many ticks as fit along `length`.
std::vector<Tick> TicksAlong(const PlotAxis& axis, double length, double each);

// Draw the grid before the data, and the axes after it.
void DrawGrid(Canvas& canvas, const Axes& axes);
void DrawAxes(Canvas& canvas, const Axes& axes);

// Returns the style, reduced to a reasonable minimum if the text is wider than
// `width`.
TextStyle Fitted(Canvas& canvas, const std::string& text, TextStyle style,
                 double width);

}  // namespace rebasin

#endif  // REBASIN_REPORT_AXES_H_
