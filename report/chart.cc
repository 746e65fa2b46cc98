#include "report/chart.h"

#include <algorithm>

#include "rebasin/error.h"
#include "report/legend.h"
#include "report/panel.h"
#include "report/picture.h"

namespace rebasin {
namespace {

constexpr double kMargin = 22;    // around the picture
constexpr double kPanelGap = 26;  // between panels
constexpr size_t kMaxColumns = 3;

// Lists each name once, with the style of its first series.
Heading HeadingOf(const Figure& figure, const SeriesColors& colors) {
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
      : columns(panels == 4 ? 2 : std::min(panels, kMaxColumns)),
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

const std::string& FullName(const Series& series) {
  return series.full_name.empty() ? series.name : series.full_name;
}

Picture Draw(const Figure& figure) {
  if (figure.panels.empty()) {
    throw Error(ErrorCode::kUsage, "a figure without panels");
  }
  for (const LineChart& panel : figure.panels) CheckChart(panel);
  const SeriesColors colors = ColorsByName(figure);
  const Heading heading = HeadingOf(figure, colors);
  const Rows rows(figure.panels.size());
  Box area = {kMargin, kMargin, kPictureWidth - kMargin, 0};
  Measure([&](Canvas& canvas) {
    area.top += HeadingHeight(canvas, heading, area.width());
  });
  const auto count = static_cast<double>(rows.rows);
  area.bottom = area.top + count * rows.height() + (count - 1) * kPanelGap;
  const auto draw = [=](Canvas& canvas) {
    DrawHeading(canvas, heading, {kMargin, kMargin, area.right, area.top});
    for (size_t p = 0; p < figure.panels.size(); ++p) {
      DrawPanel(canvas, figure.panels[p], colors, rows.Place(p, area));
    }
  };
  return {.size = {kPictureWidth, area.bottom + kMargin},
          .title = figure.title,
          .texts = TextsOf(figure, heading),
          .draw = draw};
}

void WriteFigure(const Figure& figure, const std::filesystem::path& path,
                 bool force) {
  WritePicture(Draw(figure), path, force);
}

void WriteChart(const LineChart& chart, const std::filesystem::path& path,
                bool force) {
  Figure figure{chart.title, chart.subtitle, {chart}};
  figure.panels[0].title.clear();
  WriteFigure(figure, path, force);
}

}  // namespace rebasin
