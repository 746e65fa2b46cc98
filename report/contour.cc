#include "report/contour.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "report/axes.h"
#include "report/contour_check.h"
#include "report/legend.h"
#include "report/levels.h"
#include "report/map_marks.h"
#include "report/marching_squares.h"
#include "report/picture.h"

namespace rebasin {
namespace {

constexpr double kMargin = 22;
constexpr double kMaxHeight = 660;   // of the map
constexpr double kWideHeight = 460;  // if units differ between the axes
constexpr double kBarGap = 24;
constexpr double kBarWidth = 20;
constexpr int kMaxLevels = 12;

// One colour below the first level, one between each pair of levels, one above
// the last.
Color BandColor(size_t band, size_t levels) {
  if (levels == 0) return LevelColor(0.5);
  return LevelColor(static_cast<double>(band) / static_cast<double>(levels));
}

void DrawBands(Canvas& canvas, const Axes& axes, const ScalarField& field,
               const std::vector<double>& levels) {
  // Each band covers the one below, which extends under it, so there are no
  // gaps.
  for (size_t band = 0; band <= levels.size(); ++band) {
    const double level =
        band == 0 ? -std::numeric_limits<double>::infinity() : levels[band - 1];
    auto region = RegionAbove(field, level);
    for (auto& polygon : region) {
      for (Point& point : polygon) point = axes.At(point.x, point.y);
    }
    canvas.Fill(region, BandColor(band, levels.size()));
  }
}

void DrawLines(Canvas& canvas, const Axes& axes, const ScalarField& field,
               const std::vector<double>& levels) {
  for (size_t l = 0; l < levels.size(); ++l) {
    const bool dark = IsDark(BandColor(l, levels.size()));
    const Stroke stroke = {.color = dark ? kWhite : kInk,
                           .width = 0.8,
                           .opacity = dark ? 0.5 : 0.4};
    for (LevelLine& line : LevelLines(field, levels[l])) {
      for (Point& point : line.points) point = axes.At(point.x, point.y);
      canvas.Line(line.points, stroke, line.closed);
    }
  }
}

// Bands of equal height, with the levels between them.
void DrawColorBar(Canvas& canvas, const Box& bar,
                  const std::vector<Tick>& ticks) {
  const size_t bands = ticks.size() + 1;
  const double step = bar.height() / static_cast<double>(bands);
  const auto edge = [&](size_t band) {
    return bar.bottom - static_cast<double>(band) * step;
  };
  const TextStyle style = {
      .size = kTickSize, .color = kGray, .upwards = Align::kMiddle};
  for (size_t b = 0; b < bands; ++b) {
    // Extends to the top; the following bands cover it.
    canvas.FillBox({bar.left, bar.top, bar.right, edge(b)},
                   BandColor(b, ticks.size()));
  }
  for (size_t t = 0; t < ticks.size(); ++t) {
    const double y = edge(t + 1);
    canvas.Line({bar.right, y}, {bar.right + 5, y}, {.color = kGray});
    canvas.Text({bar.right + 10, y}, ticks[t].label, style);
  }
}

double BarRoom(Canvas& canvas, const Contour& contour,
               const std::vector<Tick>& ticks) {
  double widest = 0;
  for (const Tick& tick : ticks) {
    widest =
        std::max(widest, canvas.TextWidth(tick.label, {.size = kTickSize}));
  }
  return kBarGap + kBarWidth + 10 + widest + (contour.z_label.empty() ? 0 : 26);
}

void DrawBarLabel(Canvas& canvas, const Contour& contour, double right,
                  const Box& map) {
  TextStyle style =
      Fitted(canvas, contour.z_label, {.size = kLabelSize}, map.height());
  style.across = Align::kMiddle;
  style.vertical = true;
  canvas.Text({right - 2, map.center().y}, contour.z_label, style);
}

class MapDrawing {
 public:
  explicit MapDrawing(const Contour& contour)
      : contour_(contour),
        levels_(Labelled(ChooseLevels(contour.z, kMaxLevels))),
        heading_{contour.title, contour.subtitle, PathEntries(contour)} {
    axes_.x.range = Extent(contour, true);
    axes_.y.range = Extent(contour, false);
    axes_.x.label = contour.x_label;
    axes_.y.label = contour.y_label;
    axes_.grid = false;
    axes_.frame = true;
    Measure([this](Canvas& canvas) { Arrange(canvas); });
  }

  Size size() const {
    return {kPictureWidth, axes_.box.bottom + RoomBelow(axes_.x) + kMargin};
  }

  void Draw(Canvas& canvas) const {
    const ScalarField field = {contour_.x, contour_.y, contour_.z};
    std::vector<double> levels;
    for (const Tick& tick : levels_) levels.push_back(tick.value);
    DrawHeading(canvas, heading_,
                {kMargin, kMargin, kPictureWidth - kMargin, axes_.box.top});
    {
      const Canvas::Clip clip(canvas, axes_.box);
      DrawBands(canvas, axes_, field, levels);
      DrawLines(canvas, axes_, field, levels);
    }
    DrawPaths(canvas, axes_, contour_);
    DrawPoints(canvas, axes_, contour_);
    DrawAxes(canvas, axes_);
    const double left = axes_.box.right + kBarGap;
    DrawColorBar(canvas,
                 {left, axes_.box.top, left + kBarWidth, axes_.box.bottom},
                 levels_);
    DrawBarLabel(canvas, contour_, axes_.box.right + bar_room_, axes_.box);
  }

 private:
  // Computes the box of the map: as large as possible, centred, and with equal
  // units if requested and possible.
  void Arrange(Canvas& canvas) {
    axes_.y.ticks = TicksAlong(axes_.y, kMaxHeight, 60);
    bar_room_ = BarRoom(canvas, contour_, levels_);
    const double page = kPictureWidth - 2 * kMargin;
    const double left_room = RoomLeft(canvas, axes_.y);
    double width = page - left_room - bar_room_;
    double height = kWideHeight;
    const double ratio = axes_.y.range.width() / axes_.x.range.width();
    if (contour_.equal_axes && ratio > 0.25 && ratio < 4) {
      height = std::min(kMaxHeight, width * ratio);
      width = height / ratio;
    }
    const double spare = page - left_room - bar_room_ - width;
    const double left = kMargin + spare / 2 + left_room;
    const double top =
        kMargin + HeadingHeight(canvas, heading_, page) + kTickSize / 2;
    axes_.box = Rounded({left, top, left + width, top + height});
    axes_.x.ticks = TicksAlong(axes_.x, width, 80);
    axes_.y.ticks = TicksAlong(axes_.y, height, 60);
  }

  const Contour contour_;
  std::vector<Tick> levels_;
  Heading heading_;
  Axes axes_;
  double bar_room_ = 0;
};

std::vector<std::string> TextsOf(const Contour& contour) {
  std::vector<std::string> texts = {contour.subtitle, contour.x_label,
                                    contour.y_label, contour.z_label};
  for (const MapPoint& point : contour.points) texts.push_back(point.name);
  for (const MapPath& path : contour.paths) texts.push_back(path.name);
  return texts;
}

}  // namespace

Picture Draw(const Contour& contour) {
  CheckContour(contour);
  const auto drawing = std::make_shared<const MapDrawing>(contour);
  return {.size = drawing->size(),
          .title = contour.title,
          .texts = TextsOf(contour),
          .draw = [drawing](Canvas& canvas) { drawing->Draw(canvas); }};
}

void WriteContour(const Contour& contour, const std::filesystem::path& path,
                  bool force) {
  WritePicture(Draw(contour), path, force);
}

}  // namespace rebasin
