// Contour lines on a grid, and the regions above a level.
//
// Values are interpolated linearly along the grid's edges. In a cell with
// opposite corners on the same side of the level, the mean of all four corners
// decides which pair is connected. Cells with a corner that is not finite are
// left out.

#ifndef REBASIN_REPORT_MARCHING_SQUARES_H_
#define REBASIN_REPORT_MARCHING_SQUARES_H_

#include <cstddef>
#include <span>
#include <vector>

#include "report/geometry.h"

namespace rebasin {

// Refers to the numbers, which must outlive it.
struct ScalarField {
  std::span<const double> x;  // of the columns
  std::span<const double> y;  // of the rows
  std::span<const double> z;  // row by row

  size_t columns() const { return x.size(); }
  size_t rows() const { return y.size(); }
  double At(size_t row, size_t column) const {
    return z[row * columns() + column];
  }
};

struct LevelLine {
  std::vector<Point> points;
  bool closed = false;  // the last point is connected to the first
};

// Returns the lines where the field equals `level`, in the field's coordinates:
// as long as possible, open lines first.
std::vector<LevelLine> LevelLines(const ScalarField& field, double level);

// Returns the region where the field is at least `level`, as polygons that
// touch but do not overlap, all of the same orientation. Minus infinity gives
// all finite cells.
std::vector<std::vector<Point>> RegionAbove(const ScalarField& field,
                                            double level);

}  // namespace rebasin

#endif  // REBASIN_REPORT_MARCHING_SQUARES_H_
