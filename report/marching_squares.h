// Lines of equal value on a grid, and the regions above them.
//
// Values between grid points are taken as linear along the grid's edges. In a
// cell whose opposite corners lie on the same side of the level, the mean of
// all four says which pair hangs together. Cells with a corner that is not
// finite are left out.

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
  bool closed = false;  // the last point is joined to the first
};

// Where the field passes through `level`, in the field's coordinates: lines as
// long as they get, open ones first.
std::vector<LevelLine> LevelLines(const ScalarField& field, double level);

// Where the field is at least `level`: polygons that touch but do not overlap,
// and all run round in the same direction. Minus infinity gives all that is
// finite.
std::vector<std::vector<Point>> RegionAbove(const ScalarField& field,
                                            double level);

}  // namespace rebasin

#endif  // REBASIN_REPORT_MARCHING_SQUARES_H_
