#include "report/chart.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "rebasin/error.h"
#include "report/axes.h"
#include "report/legend.h"
#include "report/picture.h"

namespace rebasin {
namespace {

constexpr double kMargin = 22;      // around everything
constexpr double kPanelGap = 26;    // between panels
constexpr double kPanelTitle = 26;  // room above a panel that has a title
constexpr size_t kMostColumns = 3;

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

bool IsShown(const LineChart& chart, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (!chart.log_y || y > 0);
}

// The coordinates of all points that are shown.
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

// Zero is part of the axis of what is never negative, unless the data lies far
// above it.
Range LinearRange(const Range& data) {
  Range range = Padded(data, 0.05);
  if (data.low >= 0 && data.low < 0.35 * data.high) range.low = 0;
  return range;
}

Axes MakeAxes(const LineChart& chart) {
  const Shown shown = ShownPoints(chart);
  Axes axes;
  axes.x.range = Padded(RangeOf({&shown.x}), 0.02);
  const Range y = RangeOf({&shown.y}, chart.log_y);
  axes.y.range = chart.log_y ? LogPadded(y, 0.05) : LinearRange(y);
  axes.y.log = chart.log_y;
  axes.x.label = chart.x_label;
  axes.y.label = chart.y_label;
  return axes;
}

using Colors = std::map<std::string, int>;

Colors ColorsByName(const Figure& figure) {
  Colors colors;
  int next = 0;
  for (const LineChart& panel : figure.panels) {
    for (const Series& series : panel.series) {
      if (series.color != kNextColor) continue;
      if (colors.emplace(series.name, next).second) ++next;
    }
  }
  return colors;
}

// Where automatic colours come round again, dashes tell the rounds apart.
Stroke StrokeOf(const Series& series, const Colors& colors) {
  const bool automatic = series.color == kNextColor;
  const int color = automatic ? colors.at(series.name) : series.color;
  const bool second_round = automatic && color / kLineColors % 2 == 1;
  return {.color = LineColor(color),
          .width = series.emphasis ? 3.2 : 2,
          .dashes = series.dashes != second_round};
}

// The line between gaps; a point by itself is a dot.
void DrawSeries(Canvas& canvas, const LineChart& chart, const Axes& axes,
                const Series& series, const Stroke& stroke) {
  std::vector<Point> run;
  const auto finish = [&] {
    if (run.size() == 1) canvas.Dot(run[0], 2 * stroke.width, stroke.color);
    if (run.size() > 1) canvas.Line(run, stroke);
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

void DrawPanel(Canvas& canvas, const LineChart& chart, const Colors& colors,
               Box place) {
  Axes axes = MakeAxes(chart);
  if (!chart.title.empty()) place.top += kPanelTitle;
  place.top += kTickSize / 2;  // the uppermost number
  place.bottom -= RoomBelow(axes.x);
  axes.y.ticks = TicksAlong(axes.y, place.height(), 36);
  place.left += RoomLeft(canvas, axes.y);
  place.right -= 8;  // half of the last number
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

// Each name once, as it is drawn where it is first.
Heading HeadingOf(const Figure& figure, const Colors& colors) {
  Heading heading{figure.title, figure.subtitle, {}};
  for (const LineChart& panel : figure.panels) {
    for (const Series& series : panel.series) {
      const bool known = std::any_of(
          heading.entries.begin(), heading.entries.end(),
          [&](const LegendEntry& entry) { return entry.name == series.name; });
      if (series.name.empty() || known) continue;
      heading.entries.push_back({series.name, StrokeOf(series, colors)});
    }
  }
  return heading;
}

std::vector<std::string> TextsOf(const Figure& figure, const Heading& heading) {
  std::vector<std::string> texts = {figure.subtitle};
  for (const LineChart& panel : figure.panels) {
    texts.insert(texts.end(), {panel.title, panel.x_label, panel.y_label});
  }
  for (const LegendEntry& entry : heading.entries) texts.push_back(entry.name);
  return texts;
}

// Panels in rows of equal width.
struct Rows {
  explicit Rows(size_t panels)
      : columns(panels == 4 ? 2 : std::min(panels, kMostColumns)),
        rows((panels + columns - 1) / columns) {}

  double height() const {
    return columns == 1 ? 440 : columns == 2 ? 350 : 300;
  }
  Box Place(size_t panel, const Box& area) const {
    const auto count = static_cast<double>(columns);
    const double width = (area.width() - (count - 1) * kPanelGap) / count;
    const double left =
        area.left + static_cast<double>(panel % columns) * (width + kPanelGap);
    const double top = area.top + static_cast<double>(panel / columns) *
                                      (height() + kPanelGap);
    return {left, top, left + width, top + height()};
  }

  size_t columns;
  size_t rows;
};

}  // namespace

void WriteFigure(const Figure& figure, const std::filesystem::path& path,
                 bool force) {
  if (figure.panels.empty()) {
    throw Error(ErrorCode::kUsage, "a figure without panels");
  }
  for (const LineChart& panel : figure.panels) CheckChart(panel);
  const Colors colors = ColorsByName(figure);
  const Heading heading = HeadingOf(figure, colors);
  const Rows rows(figure.panels.size());
  Box area = {kMargin, kMargin, kPictureWidth - kMargin, 0};
  Measure([&](Canvas& canvas) {
    area.top += HeadingHeight(canvas, heading, area.width());
  });
  const auto count = static_cast<double>(rows.rows);
  area.bottom = area.top + count * rows.height() + (count - 1) * kPanelGap;
  const auto draw = [&](Canvas& canvas) {
    DrawHeading(canvas, heading, {kMargin, kMargin, area.right, area.top});
    for (size_t p = 0; p < figure.panels.size(); ++p) {
      DrawPanel(canvas, figure.panels[p], colors, rows.Place(p, area));
    }
  };
  WritePicture({.size = {kPictureWidth, area.bottom + kMargin},
                .title = figure.title,
                .texts = TextsOf(figure, heading),
                .draw = draw},
               path, force);
}

void WriteChart(const LineChart& chart, const std::filesystem::path& path,
                bool force) {
  Figure figure{chart.title, chart.subtitle, {chart}};
  figure.panels[0].title.clear();
  WriteFigure(figure, path, force);
}

}  // namespace rebasin
