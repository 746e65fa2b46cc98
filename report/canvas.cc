#include "report/canvas.h"

#include <cairo.h>

#include <array>
#include <numbers>

#include "rebasin/error.h"

namespace rebasin {
namespace {

// The height of capitals in most sans-serif fonts. Centring by it gives all
// texts the same baseline, whatever their letters.
constexpr double kCapitals = 0.73;
constexpr double kPlate = 4;  // from the text to the edge of its plate

double Shift(Align align, double size) {
  return align == Align::kStart ? 0 : align == Align::kMiddle ? size / 2 : size;
}

void Trace(cairo_t* context, std::span<const Point> points) {
  for (const Point& point : points) cairo_line_to(context, point.x, point.y);
}

}  // namespace

void Canvas::SetColor(const Color& color, double opacity) {
  cairo_set_source_rgba(context_, color.red, color.green, color.blue, opacity);
}

void Canvas::Line(std::span<const Point> points, const Stroke& stroke,
                  bool closed) {
  cairo_save(context_);
  SetColor(stroke.color, stroke.opacity);
  cairo_set_line_width(context_, stroke.width);
  cairo_set_line_join(context_, CAIRO_LINE_JOIN_ROUND);
  const std::array dash = {3 * stroke.width, 2.2 * stroke.width};
  if (stroke.dashes) cairo_set_dash(context_, dash.data(), dash.size(), 0);
  cairo_set_line_cap(
      context_, stroke.dashes ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
  cairo_new_path(context_);
  Trace(context_, points);
  if (closed) cairo_close_path(context_);
  cairo_stroke(context_);
  cairo_restore(context_);
}

void Canvas::Line(Point from, Point to, const Stroke& stroke) {
  const std::array points = {from, to};
  Line(points, stroke);
}

void Canvas::Fill(std::span<const std::vector<Point>> polygons,
                  const Color& color) {
  SetColor(color);
  cairo_new_path(context_);
  for (const auto& polygon : polygons) {
    cairo_new_sub_path(context_);
    Trace(context_, polygon);
    cairo_close_path(context_);
  }
  cairo_fill(context_);
}

void Canvas::FillBox(const Box& box, const Color& color) {
  SetColor(color);
  cairo_rectangle(context_, box.left, box.top, box.width(), box.height());
  cairo_fill(context_);
}

void Canvas::Dot(Point center, double radius, const Color& color, double edge) {
  cairo_new_path(context_);
  const auto circle = [&](double r) {
    cairo_arc(context_, center.x, center.y, r, 0, 2 * std::numbers::pi);
    cairo_fill(context_);
  };
  SetColor(kWhite);
  if (edge > 0) circle(radius + edge);
  SetColor(color);
  circle(radius);
}

void Canvas::SetFont(const TextStyle& style) {
  cairo_select_font_face(
      context_, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
      style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context_, style.size);
}

double Canvas::TextWidth(const std::string& text, const TextStyle& style) {
  SetFont(style);
  cairo_text_extents_t extents;
  cairo_text_extents(context_, Printable(text).c_str(), &extents);
  return extents.x_advance;
}

Box Canvas::TextBox(Point at, const std::string& text, const TextStyle& style) {
  const double width = TextWidth(text, style);
  const double height = kCapitals * style.size;
  const double left = at.x - Shift(style.across, width);
  const double base = at.y + Shift(style.upwards, height);
  return {left - kPlate, base - height - kPlate, left + width + kPlate,
          base + kPlate};
}

void Canvas::FillRounded(const Box& box, double radius) {
  constexpr double kQuarter = std::numbers::pi / 2;
  const double left = box.left + radius, right = box.right - radius;
  const double top = box.top + radius, bottom = box.bottom - radius;
  cairo_new_path(context_);
  cairo_arc(context_, right, bottom, radius, 0, kQuarter);
  cairo_arc(context_, left, bottom, radius, kQuarter, 2 * kQuarter);
  cairo_arc(context_, left, top, radius, 2 * kQuarter, 3 * kQuarter);
  cairo_arc(context_, right, top, radius, 3 * kQuarter, 4 * kQuarter);
  cairo_close_path(context_);
  cairo_fill(context_);
}

void Canvas::Text(Point at, const std::string& text, const TextStyle& style) {
  if (text.empty()) return;
  if (style.plate) {
    SetColor(kWhite, 0.82);
    FillRounded(TextBox(at, text, style), kPlate);
  }
  const double left = -Shift(style.across, TextWidth(text, style));
  const double base = Shift(style.upwards, kCapitals * style.size);
  cairo_save(context_);
  cairo_translate(context_, at.x, at.y);
  if (style.vertical) cairo_rotate(context_, -std::numbers::pi / 2);
  SetColor(style.color);
  cairo_move_to(context_, left, base);
  cairo_show_text(context_, Printable(text).c_str());
  cairo_restore(context_);
  cairo_new_path(context_);
}

Canvas::Clip::Clip(Canvas& canvas, const Box& box) : canvas_(canvas) {
  cairo_save(canvas_.context_);
  cairo_rectangle(canvas_.context_, box.left, box.top, box.width(),
                  box.height());
  cairo_clip(canvas_.context_);
}

Canvas::Clip::~Clip() { cairo_restore(canvas_.context_); }

}  // namespace rebasin
