// Positions in a picture, in its own units: 900 wide, y downwards.

#ifndef REBASIN_REPORT_GEOMETRY_H_
#define REBASIN_REPORT_GEOMETRY_H_

#include <cmath>

namespace rebasin {

struct Point {
  double x = 0;
  double y = 0;

  friend bool operator==(const Point&, const Point&) = default;
};

struct Size {
  double width = 0;
  double height = 0;
};

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
  Point center() const { return {(left + right) / 2, (top + bottom) / 2}; }
};

// Rounds to whole units, where edges are sharp.
inline Box Rounded(const Box& box) {
  return {std::round(box.left), std::round(box.top), std::round(box.right),
          std::round(box.bottom)};
}

}  // namespace rebasin

#endif  // REBASIN_REPORT_GEOMETRY_H_
