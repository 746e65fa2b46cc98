// Computes regions. Lines are in contour_lines.cc.

#include "report/marching_squares.h"

#include "report/cell.h"

namespace rebasin {
namespace {

using Polygons = std::vector<std::vector<Point>>;

// Two unconnected corners above the level: a triangle each.
void AddTips(const GridCell& cell, Polygons& polygons) {
  for (size_t k = 0; k < 4; ++k) {
    if (!cell.above(k)) continue;
    polygons.push_back(
        {cell.Crossing((k + 3) % 4), cell.Corner(k), cell.Crossing(k)});
  }
}

void AddPart(const GridCell& cell, Polygons& polygons) {
  if (cell.IsSaddle() && !cell.center_above()) return AddTips(cell, polygons);
  std::vector<Point> polygon;
  for (size_t k = 0; k < 4; ++k) {
    if (cell.above(k)) polygon.push_back(cell.Corner(k));
    if (cell.Crosses(k)) polygon.push_back(cell.Crossing(k));
  }
  polygons.push_back(std::move(polygon));
}

// Adds the whole cells [begin, end) of a row as one rectangle, which keeps
// files small.
void AddRun(const ScalarField& field, size_t row, size_t begin, size_t end,
            Polygons& polygons) {
  if (begin == end) return;
  const double left = field.x[begin], right = field.x[end];
  const double low = field.y[row], high = field.y[row + 1];
  polygons.push_back({{left, low}, {right, low}, {right, high}, {left, high}});
}

}  // namespace

Polygons RegionAbove(const ScalarField& field, double level) {
  Polygons polygons;
  for (size_t r = 0; r + 1 < field.rows(); ++r) {
    size_t run = 0;  // number of whole cells from here on
    for (size_t c = 0; c + 1 < field.columns(); ++c) {
      const GridCell cell(field, r, c, level);
      if (cell.finite() && cell.CountAbove() == 4) continue;
      AddRun(field, r, run, c, polygons);
      run = c + 1;
      if (cell.finite() && cell.CountAbove() > 0) AddPart(cell, polygons);
    }
    AddRun(field, r, run, field.columns() - 1, polygons);
  }
  return polygons;
}

}  // namespace rebasin
