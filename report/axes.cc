#include "report/axes.h"

#include <algorithm>
#include <cmath>

namespace rebasin {
namespace {

constexpr double kTickLength = 5;
constexpr double kGap = 5;  // between a tick and its number
constexpr Stroke kAxisStroke = {.color = kGray, .width = 1};

constexpr TextStyle kTickStyle = {.size = kTickSize, .color = kGray};
constexpr TextStyle kLabelStyle = {.size = kLabelSize, .color = kInk};

double WidestTick(Canvas& canvas, const std::vector<Tick>& ticks) {
  double widest = 0;
  for (const Tick& tick : ticks) {
    widest = std::max(widest, canvas.TextWidth(tick.label, kTickStyle));
  }
  return widest;
}

void DrawBottom(Canvas& canvas, const Axes& axes) {
  const Box& box = axes.box;
  TextStyle style = kTickStyle;
  style.across = Align::kMiddle;
  style.upwards = Align::kEnd;
  for (const Tick& tick : axes.x.ticks) {
    const Point at = {axes.At(tick.value, axes.y.range.low).x, box.bottom};
    canvas.Line(at, {at.x, at.y + kTickLength}, kAxisStroke);
    canvas.Text({at.x, at.y + kTickLength + kGap}, tick.label, style);
  }
  style = Fitted(canvas, axes.x.label, kLabelStyle, box.width() * 1.2);
  style.across = Align::kMiddle;
  style.upwards = Align::kEnd;
  canvas.Text({box.center().x, box.bottom + kTickLength + kGap + 22},
              axes.x.label, style);
}

void DrawLeft(Canvas& canvas, const Axes& axes) {
  const Box& box = axes.box;
  TextStyle style = kTickStyle;
  style.across = Align::kEnd;
  style.upwards = Align::kMiddle;
  for (const Tick& tick : axes.y.ticks) {
    const Point at = {box.left, axes.At(axes.x.range.low, tick.value).y};
    canvas.Line(at, {at.x - kTickLength, at.y}, kAxisStroke);
    canvas.Text({at.x - kTickLength - kGap, at.y}, tick.label, style);
  }
  style = Fitted(canvas, axes.y.label, kLabelStyle, box.height() * 1.2);
  style.across = Align::kMiddle;
  style.vertical = true;
  const double numbers = WidestTick(canvas, axes.y.ticks);
  canvas.Text({box.left - kTickLength - kGap - numbers - 12, box.center().y},
              axes.y.label, style);
}

}  // namespace

double PlotAxis::Share(double value) const {
  if (!log) return (value - range.low) / range.width();
  const double low = std::log(range.low), high = std::log(range.high);
  return (std::log(value) - low) / (high - low);
}

Point Axes::At(double x_value, double y_value) const {
  return {box.left + x.Share(x_value) * box.width(),
          box.bottom - y.Share(y_value) * box.height()};
}

double RoomBelow(const PlotAxis& x) {
  return kTickLength + kGap + kTickSize + (x.label.empty() ? 0 : 24);
}

double RoomLeft(Canvas& canvas, const PlotAxis& y) {
  return kTickLength + kGap + WidestTick(canvas, y.ticks) +
         (y.label.empty() ? 0 : 28);
}

std::vector<Tick> TicksAlong(const PlotAxis& axis, double length, double each) {
  const int most = std::max(2, static_cast<int>(length / each));
  return axis.log ? LogTicks(axis.range, most) : LinearTicks(axis.range, most);
}

void DrawGrid(Canvas& canvas, const Axes& axes) {
  if (!axes.grid) return;
  for (const Tick& tick : axes.y.ticks) {
    const double y = axes.At(axes.x.range.low, tick.value).y;
    canvas.Line({axes.box.left, y}, {axes.box.right, y},
                {.color = kPale, .width = 1});
  }
}

void DrawAxes(Canvas& canvas, const Axes& axes) {
  const Box& box = axes.box;
  const Point bottom_left = {box.left, box.bottom};
  canvas.Line({box.left, box.top}, bottom_left, kAxisStroke);
  canvas.Line(bottom_left, {box.right, box.bottom}, kAxisStroke);
  if (axes.frame) {
    const Point top_right = {box.right, box.top};
    canvas.Line({box.left, box.top}, top_right, kAxisStroke);
    canvas.Line(top_right, {box.right, box.bottom}, kAxisStroke);
  }
  DrawBottom(canvas, axes);
  DrawLeft(canvas, axes);
}

TextStyle Fitted(Canvas& canvas, const std::string& text, TextStyle style,
                 double width) {
  constexpr double kLeast = 0.55;  // relative to the requested size
  const double needed = canvas.TextWidth(text, style);
  if (needed > width) style.size *= std::max(kLeast, width / needed);
  return style;
}

}  // namespace rebasin
