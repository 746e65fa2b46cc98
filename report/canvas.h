// Draws lines, areas and texts, independent of the file format.

#ifndef REBASIN_REPORT_CANVAS_H_
#define REBASIN_REPORT_CANVAS_H_

#include <span>
#include <string>
#include <vector>

#include "report/geometry.h"
#include "report/palette.h"

using cairo_t = struct _cairo;  // the library's header stays in canvas.cc

namespace rebasin {

struct Stroke {
  Color color = kInk;
  double width = 1;
  bool dashes = false;
  double opacity = 1;
};

// Which point of the text is at the given position.
enum class Align { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 14;
  Color color = kInk;
  bool bold = false;
  Align across = Align::kStart;
  // Relative to the height of capitals; kStart is the baseline.
  Align upwards = Align::kStart;
  bool vertical = false;  // turned left, read from below
  bool plate = false;     // on white, for use on colours
};

// Draws on a context that it does not own. All texts go through Printable, so
// any text is safe.
class Canvas {
 public:
  explicit Canvas(cairo_t* context) : context_(context) {}

  void Line(std::span<const Point> points, const Stroke& stroke,
            bool closed = false);
  void Line(Point from, Point to, const Stroke& stroke);
  // Fills all polygons as one area, without seams between them. All must have
  // the same orientation.
  void Fill(std::span<const std::vector<Point>> polygons, const Color& color);
  void FillBox(const Box& box, const Color& color);
  void Dot(Point center, double radius, const Color& color, double edge = 0);
  void Text(Point at, const std::string& text, const TextStyle& style);
  double TextWidth(const std::string& text, const TextStyle& style);
  // The area that a horizontal text covers, including its plate.
  Box TextBox(Point at, const std::string& text, const TextStyle& style);

  // Restricts drawing to the box during its lifetime.
  class Clip {
   public:
    Clip(Canvas& canvas, const Box& box);
    ~Clip();
    Clip(const Clip&) = delete;
    Clip& operator=(const Clip&) = delete;

   private:
    Canvas& canvas_;
  };

 private:
  void SetColor(const Color& color, double opacity = 1);
  void SetFont(const TextStyle& style);
  void FillRounded(const Box& box, double radius);

  cairo_t* context_;
};

}  // namespace rebasin

#endif  // REBASIN_REPORT_CANVAS_H_
