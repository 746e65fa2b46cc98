// A box with two axes: from data to places, and the lines and numbers around.

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

  // Where a value lies: 0 at the low end, 1 at the high one.
  double Share(double value) const;
};

struct Axes {
  PlotAxis x;
  PlotAxis y;
  Box box;             // the data's part, without numbers and labels
  bool grid = true;    // lines across at the ticks of y
  bool frame = false;  // lines on all four sides

  Point At(double x_value, double y_value) const;
};

inline constexpr double kTickSize = 13;
inline constexpr double kLabelSize = 14.5;

// How much room numbers and labels need.
double RoomBelow(const PlotAxis& x);
double RoomLeft(Canvas& canvas, const PlotAxis& y);

// As many ticks as have room along `length`.
std::vector<Tick> TicksAlong(const PlotAxis& axis, double length, double each);

// Draw the grid before the data, the rest after it.
void DrawGrid(Canvas& canvas, const Axes& axes);
void DrawAxes(Canvas& canvas, const Axes& axes);

// The style, made smaller as far as sensible if the text is wider than `width`.
TextStyle Fitted(Canvas& canvas, const std::string& text, TextStyle style,
                 double width);

}  // namespace rebasin

#endif  // REBASIN_REPORT_AXES_H_
