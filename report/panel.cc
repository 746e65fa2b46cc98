#include "report/panel.h"

#include <cmath>

#include "rebasin/error.h"
#include "report/axes.h"

namespace rebasin {
namespace {

constexpr double kTitleRoom = 26;  // above a panel that has a title
// With at most this many points, each is marked, because values between them
// were not measured.
constexpr size_t kFewPoints = 8;

bool IsShown(const LineChart& chart, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (!chart.log_x || x > 0) &&
         (!chart.log_y || y > 0);
}

// The coordinates of all visible points.
struct Shown {
  std::vector<double> x, y;
};

Shown ShownPoints(const LineChart& chart) {
  Shown shown;
  for (const Series& series : chart.series) {
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!IsShown(chart, series.x[i], series.y[i])) continue;
      shown.x.push_back(series.x[i]);
      shown.y.push_back(series.y[i]);
    }
  }
  return shown;
}

// The axis of values that are never negative starts at zero, unless the data is
// far above it.
Range LinearRange(const Range& data) {
  Range range = Padded(data, 0.05);
  if (data.low >= 0 && data.low < 0.35 * data.high) range.low = 0;
  return range;
}

Axes MakeAxes(const LineChart& chart) {
  const Shown shown = ShownPoints(chart);
  Axes axes;
  const Range x = RangeOf({&shown.x}, chart.log_x);
  axes.x.range = chart.log_x ? LogPadded(x, 0.03) : Padded(x, 0.02);
  axes.x.log = chart.log_x;
  const Range y = RangeOf({&shown.y}, chart.log_y);
  axes.y.range = chart.log_y ? LogPadded(y, 0.05) : LinearRange(y);
  axes.y.log = chart.log_y;
  axes.x.label = chart.x_label;
  axes.y.label = chart.y_label;
  return axes;
}

// Draws the line between gaps; few points, or isolated ones, as dots.
void DrawSeries(Canvas& canvas, const LineChart& chart, const Axes& axes,
                const Series& series, const Stroke& stroke) {
  std::vector<Point> run;
  const auto finish = [&] {
    if (run.size() > 1) canvas.Line(run, stroke);
    if (run.size() == 1 || series.x.size() <= kFewPoints) {
      for (const Point& point : run) {
        canvas.Dot(point, 2 * stroke.width, stroke.color);
      }
    }
    run.clear();
  };
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (IsShown(chart, series.x[i], series.y[i])) {
      run.push_back(axes.At(series.x[i], series.y[i]));
    } else {
      finish();
    }
  }
  finish();
}

}  // namespace

void CheckChart(const LineChart& chart) {
  if (chart.series.empty()) {
    throw Error(ErrorCode::kUsage, "a chart without series");
  }
  for (const Series& series : chart.series) {
    if (series.x.size() == series.y.size()) continue;
    throw Error(ErrorCode::kUsage, "series " + Quoted(series.name) + " has " +
                                       std::to_string(series.x.size()) +
                                       " x and " +
                                       std::to_string(series.y.size()) + " y");
  }
}

SeriesColors ColorsByName(const Figure& figure) {
  SeriesColors colors;
  int next = 0;
  for (const LineChart& panel : figure.panels) {
    for (const Series& series : panel.series) {
      if (series.color != kNextColor) continue;
      if (colors.emplace(series.name, next).second) ++next;
    }
  }
  return colors;
}

// When automatic colours repeat, dashes distinguish the series.
Stroke StrokeOf(const Series& series, const SeriesColors& colors) {
  const bool automatic = series.color == kNextColor;
  const int color = automatic ? colors.at(series.name) : series.color;
  const bool second_round = automatic && color / kLineColors % 2 == 1;
  return {.color = LineColor(color),
          .width = series.emphasis ? 3.2 : 2,
          .dashes = series.dashes != second_round};
}

void DrawPanel(Canvas& canvas, const LineChart& chart,
               const SeriesColors& colors, Box place) {
  Axes axes = MakeAxes(chart);
  if (!chart.title.empty()) place.top += kTitleRoom;
  place.top += kTickSize / 2;  // for the topmost number
  place.bottom -= RoomBelow(axes.x);
  axes.y.ticks = TicksAlong(axes.y, place.height(), 36);
  place.left += RoomLeft(canvas, axes.y);
  place.right -= 8;  // for half of the last number
  axes.x.ticks = TicksAlong(axes.x, place.width(), 52);
  axes.box = Rounded(place);
  TextStyle title = {.size = 15, .bold = true};
  canvas.Text({place.left, place.top - 14}, chart.title,
              Fitted(canvas, chart.title, title, place.width()));
  DrawGrid(canvas, axes);
  for (bool emphasis : {false, true}) {
    for (const Series& series : chart.series) {
      if (series.emphasis != emphasis) continue;
      DrawSeries(canvas, chart, axes, series, StrokeOf(series, colors));
    }
  }
  DrawAxes(canvas, axes);
}

}  // namespace rebasin
