// Lines between networks as charts.

#ifndef REBASIN_LAB_LINE_CHARTS_H_
#define REBASIN_LAB_LINE_CHARTS_H_

#include <array>
#include <string>
#include <vector>

#include "rebasin/nn/interpolate.h"
#include "report/chart.h"

namespace rebasin {

struct NamedLine {
  std::string name;  // "naive", "aligned", "aligned, bn"
  Line line;
};

// The parts of the data that a line may have been measured on.
struct LinePart {
  const char* name;
  Evaluation LinePoint::*evaluation;
  Barrier Line::*barrier;
};
inline constexpr std::array<LinePart, 2> kLineParts = {
    LinePart{"train", &LinePoint::train, &Line::train},
    LinePart{"test", &LinePoint::test, &Line::test}};
bool Has(const NamedLine& line, const LinePart& part);

// Loss and accuracy side by side; training data solid, test data dashed. More
// than a few lines have one entry each in the legend.
Figure CurvesFigure(const std::vector<NamedLine>& lines,
                    const std::string& title);

// Lines that belong together, for a panel of its own.
struct LineGroup {
  std::string title;
  std::vector<NamedLine> lines;
};

// The losses of each group side by side; lines of one name are drawn alike.
Figure LossesFigure(const std::vector<LineGroup>& groups,
                    const std::string& title);

}  // namespace rebasin

#endif  // REBASIN_LAB_LINE_CHARTS_H_
