#include "report/map_marks.h"

#include <algorithm>

namespace rebasin {
namespace {

constexpr double kDot = 5.5;
constexpr double kDotEdge = 2;
constexpr double kNameGap = 7;  // from the dot's edge
constexpr TextStyle kNameStyle = {.size = 15, .bold = true, .halo = true};

// Of the palette, those that stand out on blue to yellow.
constexpr int kPathColors[] = {1, 3, 5, 6};

Stroke PathStroke(size_t index) {
  return {.color = LineColor(kPathColors[index % std::size(kPathColors)]),
          .width = 2.6,
          .dashes = index % 2 == 1};
}

Point Middle(const Contour& contour) {
  Point sum;
  const auto count = static_cast<double>(contour.points.size());
  for (const MapPoint& point : contour.points) {
    sum.x += point.x / count;
    sum.y += point.y / count;
  }
  return sum;
}

// Names point away from the middle, where paths come from, but not out of the
// map.
void DrawName(Canvas& canvas, const Axes& axes, const MapPoint& point,
              Point middle) {
  const Point at = axes.At(point.x, point.y);
  const double width = canvas.TextWidth(point.name, kNameStyle);
  const double reach = kDot + kDotEdge + kNameGap;
  bool right = at.x >= middle.x;
  if (right && at.x + reach + width > axes.box.right) right = false;
  if (!right && at.x - reach - width < axes.box.left) right = true;
  bool up = at.y <= middle.y;
  if (up && at.y - reach - kNameStyle.size < axes.box.top) up = false;
  if (!up && at.y + reach + kNameStyle.size > axes.box.bottom) up = true;
  TextStyle style = kNameStyle;
  style.across = right ? Align::kStart : Align::kEnd;
  style.upwards = up ? Align::kStart : Align::kEnd;
  const double aside = kDot + kDotEdge;
  canvas.Text({at.x + (right ? aside : -aside), at.y + (up ? -aside : aside)},
              point.name, style);
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
  if (contour.points.empty()) return;
  const Point middle = Middle(contour);
  const Point center = axes.At(middle.x, middle.y);
  for (const MapPoint& point : contour.points) {
    canvas.Dot(axes.At(point.x, point.y), kDot, kInk, kDotEdge);
  }
  for (const MapPoint& point : contour.points) {
    DrawName(canvas, axes, point, center);
  }
}

}  // namespace rebasin
