// The legend of a picture, in rows above the data.

#ifndef REBASIN_REPORT_LEGEND_H_
#define REBASIN_REPORT_LEGEND_H_

#include <string>
#include <vector>

#include "report/canvas.h"

namespace rebasin {

struct LegendEntry {
  std::string name = {};
  Stroke stroke = {};
};

class Legend {
 public:
  // Breaks the entries into rows of at most `width`.
  Legend(Canvas& canvas, std::vector<LegendEntry> entries, double width);

  double height() const;
  void Draw(Canvas& canvas, Point top_left) const;

 private:
  struct Place {
    double left = 0;
    int row = 0;
    TextStyle style;
  };

  std::vector<LegendEntry> entries_;
  std::vector<Place> places_;
};

// Titles and a legend at the top of a picture.
struct Heading {
  std::string title = {};
  std::string subtitle = {};
  std::vector<LegendEntry> entries = {};
};

double HeadingHeight(Canvas& canvas, const Heading& heading, double width);
void DrawHeading(Canvas& canvas, const Heading& heading, const Box& page);

}  // namespace rebasin

#endif  // REBASIN_REPORT_LEGEND_H_
