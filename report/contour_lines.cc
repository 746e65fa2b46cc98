// Contour lines: one or two segments in each cell, connected to lines.

#include <array>
#include <map>
#include <utility>

#include "report/cell.h"
#include "report/marching_squares.h"

namespace rebasin {
namespace {

// A point where the line crosses an edge of the grid. An edge has a cell on
// each side, so a crossing has at most two neighbours.
struct Crossing {
  Point point;
  std::array<GridEdge, 2> neighbours;
  int count = 0;
  bool used = false;
};
using Crossings = std::map<GridEdge, Crossing>;

void Join(const GridCell& cell, size_t from, size_t to, Crossings& crossings) {
  for (const auto& [here, there] : {std::pair(from, to), std::pair(to, from)}) {
    Crossing& crossing = crossings[cell.Edge(here)];
    crossing.point = cell.Crossing(here);
    crossing.neighbours[static_cast<size_t>(crossing.count++)] =
        cell.Edge(there);
  }
}

void AddSegments(const GridCell& cell, Crossings& crossings) {
  if (cell.IsSaddle()) {
    // The line cuts off the corners 1 and 3, or 0 and 2.
    const bool odd = cell.above(0) == cell.center_above();
    Join(cell, odd ? 0 : 3, odd ? 1 : 0, crossings);
    Join(cell, odd ? 2 : 1, odd ? 3 : 2, crossings);
    return;
  }
  std::vector<size_t> edges;
  for (size_t k = 0; k < 4; ++k) {
    if (cell.Crosses(k)) edges.push_back(k);
  }
  if (edges.size() == 2) Join(cell, edges[0], edges[1], crossings);
}

// Follows the line from a crossing until it ends or closes.
LevelLine Follow(const GridEdge& start, Crossings& crossings) {
  LevelLine line;
  Crossing* at = &crossings.at(start);
  line.closed = at->count == 2;
  while (at != nullptr) {
    at->used = true;
    line.points.push_back(at->point);
    Crossing* next = nullptr;
    for (int n = 0; n < at->count && next == nullptr; ++n) {
      Crossing& other = crossings.at(at->neighbours[static_cast<size_t>(n)]);
      if (!other.used) next = &other;
    }
    at = next;
  }
  return line;
}

}  // namespace

std::vector<LevelLine> LevelLines(const ScalarField& field, double level) {
  Crossings crossings;
  for (size_t r = 0; r + 1 < field.rows(); ++r) {
    for (size_t c = 0; c + 1 < field.columns(); ++c) {
      const GridCell cell(field, r, c, level);
      if (cell.finite()) AddSegments(cell, crossings);
    }
  }
  std::vector<LevelLine> lines;
  // Starts at open ends first; the remaining lines are closed.
  for (int count : {1, 2}) {
    for (auto& [edge, crossing] : crossings) {
      if (crossing.used || crossing.count != count) continue;
      lines.push_back(Follow(edge, crossings));
    }
  }
  return lines;
}

}  // namespace rebasin
