// A cell of a grid, compared with a level.

#ifndef REBASIN_REPORT_CELL_H_
#define REBASIN_REPORT_CELL_H_

#include <array>
#include <cmath>
#include <cstddef>

#include "report/marching_squares.h"

namespace rebasin {

// An edge of the grid, from (row, column) to the next column or row. The two
// cells beside it compute the same crossing.
struct GridEdge {
  size_t row = 0;
  size_t column = 0;
  bool upwards = false;

  friend auto operator<=>(const GridEdge&, const GridEdge&) = default;
};

// Corners are numbered around the cell: (row, column), the next column, the
// next row, and back. Edge k is between the corners k and k + 1.
class GridCell {
 public:
  GridCell(const ScalarField& field, size_t row, size_t column, double level)
      : field_(field), row_(row), column_(column), level_(level) {
    double sum = 0;
    for (size_t k = 0; k < 4; ++k) {
      const double z = field.At(CornerRow(k), CornerColumn(k));
      above_[k] = z >= level;
      sum += z;
    }
    // The sum is not finite if a corner is not. Sums of finite corners do not
    // overflow, because maps are drawn only of sufficiently small numbers.
    finite_ = std::isfinite(sum);
    center_above_ = sum / 4 >= level;
  }

  bool finite() const { return finite_; }
  bool above(size_t corner) const { return above_[corner % 4]; }
  bool center_above() const { return center_above_; }
  int CountAbove() const {
    return above_[0] + above_[1] + above_[2] + above_[3];
  }
  bool Crosses(size_t edge) const { return above(edge) != above(edge + 1); }
  bool IsSaddle() const { return CountAbove() == 2 && above_[0] == above_[2]; }

  Point Corner(size_t corner) const {
    return {field_.x[CornerColumn(corner)], field_.y[CornerRow(corner)]};
  }
  GridEdge Edge(size_t edge) const {
    switch (edge % 4) {
      case 0:
        return {row_, column_, false};
      case 1:
        return {row_, column_ + 1, true};
      case 2:
        return {row_ + 1, column_, false};
      default:
        return {row_, column_, true};
    }
  }
  // Requires Crosses(edge).
  Point Crossing(size_t edge) const {
    const GridEdge e = Edge(edge);
    const size_t row = e.row + (e.upwards ? 1 : 0);
    const size_t column = e.column + (e.upwards ? 0 : 1);
    const double from = field_.At(e.row, e.column);
    const double t = (level_ - from) / (field_.At(row, column) - from);
    const double x = field_.x[e.column], y = field_.y[e.row];
    return {x + t * (field_.x[column] - x), y + t * (field_.y[row] - y)};
  }

 private:
  size_t CornerRow(size_t corner) const {
    return row_ + (corner % 4 >= 2 ? 1 : 0);
  }
  size_t CornerColumn(size_t corner) const {
    return column_ + (corner % 4 == 1 || corner % 4 == 2 ? 1 : 0);
  }

  const ScalarField& field_;
  size_t row_, column_;
  double level_;
  std::array<bool, 4> above_;
  bool finite_ = false;
  bool center_above_ = false;
};

}  // namespace rebasin

#endif  // REBASIN_REPORT_CELL_H_
