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

// A part of the data on which lines may be measured.
struct LinePart {
  const char* name;
  Evaluation LinePoint::*evaluation;
  Barrier Line::*barrier;
};
inline constexpr std::array<LinePart, 2> kLineParts = {
    LinePart{"train", &LinePoint::train, &Line::train},
    LinePart{"test", &LinePoint::test, &Line::test}};
bool Has(const NamedLine& line, const LinePart& part);

// Loss and accuracy side by side; training data solid, test data dashed. With
// more than a few lines, the legend has one entry for each.
Figure CurvesFigure(const std::vector<NamedLine>& lines,
                    const std::string& title);

// Lines for one panel.
struct LineGroup {
  std::string title;
  std::vector<NamedLine> lines;
};

// The losses of each group side by side; lines with the same name look alike.
Figure LossesFigure(const std::vector<LineGroup>& groups,
                    const std::string& title);

}  // namespace rebasin

#endif  // REBASIN_LAB_LINE_CHARTS_H_
