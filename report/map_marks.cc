#include "report/map_marks.h"

#include <algorithm>
#include <limits>

namespace rebasin {
namespace {

constexpr double kDot = 5.5;
constexpr double kDotEdge = 2;
constexpr double kNameGap = 5;  // from the dot's edge
constexpr TextStyle kNameStyle = {.size = 14.5, .bold = true, .plate = true};

// Colours of the palette with contrast to blue and yellow.
constexpr int kPathColors[] = {1, 3, 6};

Stroke PathStroke(size_t index) {
  return {.color = LineColor(kPathColors[index % std::size(kPathColors)]),
          .width = 3,
          .dashes = index >= 2};
}

// The share of the line from `from` to `to` that is inside the box.
double ShareInside(const Box& box, Point from, Point to) {
  constexpr int kSamples = 200;
  int inside = 0;
  for (int i = 0; i <= kSamples; ++i) {
    const double t = static_cast<double>(i) / kSamples;
    const Point at = {from.x + t * (to.x - from.x),
                      from.y + t * (to.y - from.y)};
    inside += at.x > box.left && at.x < box.right && at.y > box.top &&
              at.y < box.bottom;
  }
  return static_cast<double>(inside) / kSamples;
}

// A penalty for names on paths, on other points, or outside the map.
double Cost(const Box& name, const Axes& axes, const Contour& contour) {
  double cost = 0;
  for (const MapPath& path : contour.paths) {
    cost += ShareInside(name, axes.At(path.from.x, path.from.y),
                        axes.At(path.to.x, path.to.y));
  }
  for (const MapPoint& point : contour.points) {
    const Point at = axes.At(point.x, point.y);
    cost += ShareInside(name, at, at);
  }
  const bool outside = name.left < axes.box.left ||
                       name.right > axes.box.right || name.top < axes.box.top ||
                       name.bottom > axes.box.bottom;
  return cost + (outside ? 10 : 0);
}

struct NamePlace {
  Point at;
  TextStyle style = kNameStyle;
};

// Beside, above or below the dot, or at a corner.
NamePlace PlaceAt(Point dot, int right, int up) {
  const double reach = kDot + kDotEdge + kNameGap;
  const double share = right != 0 && up != 0 ? 0.7 : 1;
  NamePlace place;
  place.at = {dot.x + right * share * reach, dot.y - up * share * reach};
  const auto align = [](int side) {
    return side > 0 ? Align::kStart : side < 0 ? Align::kEnd : Align::kMiddle;
  };
  place.style.across = align(right);
  place.style.upwards = align(up);
  return place;
}

void DrawName(Canvas& canvas, const Axes& axes, const Contour& contour,
              const MapPoint& point) {
  constexpr int kSides[][2] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1},
                               {1, 0}, {-1, 0}, {0, 1},  {0, -1}};
  const Point dot = axes.At(point.x, point.y);
  NamePlace best;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [right, up] : kSides) {
    const NamePlace place = PlaceAt(dot, right, up);
    const double cost =
        Cost(canvas.TextBox(place.at, point.name, place.style), axes, contour);
    if (cost >= least) continue;
    least = cost;
    best = place;
  }
  canvas.Text(best.at, point.name, best.style);
}

}  // namespace

std::vector<LegendEntry> PathEntries(const Contour& contour) {
  std::vector<LegendEntry> entries;
  for (const MapPath& path : contour.paths) {
    const bool known = std::any_of(
        entries.begin(), entries.end(),
        [&](const LegendEntry& entry) { return entry.name == path.name; });
    if (path.name.empty() || known) continue;
    entries.push_back({path.name, PathStroke(entries.size())});
  }
  return entries;
}

void DrawPaths(Canvas& canvas, const Axes& axes, const Contour& contour) {
  const std::vector<LegendEntry> entries = PathEntries(contour);
  for (const MapPath& path : contour.paths) {
    Stroke stroke = {.color = kInk, .width = 2};
    for (const LegendEntry& entry : entries) {
      if (entry.name == path.name) stroke = entry.stroke;
    }
    const Point from = axes.At(path.from.x, path.from.y);
    const Point to = axes.At(path.to.x, path.to.y);
    canvas.Line(from, to,
                {.color = kWhite, .width = stroke.width + 2.4, .opacity = 0.8});
    canvas.Line(from, to, stroke);
  }
}

void DrawPoints(Canvas& canvas, const Axes& axes, const Contour& contour) {
  for (const MapPoint& point : contour.points) {
    canvas.Dot(axes.At(point.x, point.y), kDot, kInk, kDotEdge);
  }
  for (const MapPoint& point : contour.points) {
    DrawName(canvas, axes, contour, point);
  }
}

}  // namespace rebasin
