#include "lab/line_charts.h"

#include <utility>

namespace rebasin {
namespace {

// With more lines, the legend omits the meaning of dashes.
constexpr size_t kFewLines = 3;
constexpr const char* kDashes = "solid: training data, dashed: test data";

std::string FullLineName(const NamedLine& line, const LinePart& part) {
  return line.name + ", " + part.name;
}

std::string LegendName(const NamedLine& line, const LinePart& part, bool few) {
  if (few) return FullLineName(line, part);
  const bool first =
      part.evaluation == &LinePoint::train || !Has(line, kLineParts[0]);
  return first ? line.name : "";
}

double LossOf(const Evaluation& at) { return at.loss; }
double PercentOf(const Evaluation& at) { return 100 * at.accuracy; }

LineChart Panel(const std::vector<NamedLine>& lines, const std::string& label,
                double (*measure)(const Evaluation&)) {
  LineChart chart{.x_label = "lambda: the share of B", .y_label = label};
  const bool few = lines.size() <= kFewLines;
  for (size_t l = 0; l < lines.size(); ++l) {
    for (const LinePart& part : kLineParts) {
      if (!Has(lines[l], part)) continue;
      Series series{.name = LegendName(lines[l], part, few),
                    .full_name = FullLineName(lines[l], part),
                    .dashes = part.evaluation == &LinePoint::test,
                    .color = static_cast<int>(l)};
      for (const LinePoint& point : lines[l].line.points) {
        series.x.push_back(point.lambda);
        series.y.push_back(measure(point.*part.evaluation));
      }
      chart.series.push_back(std::move(series));
    }
  }
  return chart;
}

}  // namespace

bool Has(const NamedLine& line, const LinePart& part) {
  return !line.line.points.empty() &&
         (line.line.points.front().*part.evaluation).examples > 0;
}

Figure CurvesFigure(const std::vector<NamedLine>& lines,
                    const std::string& title) {
  return {.title = title,
          .subtitle = lines.size() > kFewLines ? kDashes : "",
          .panels = {Panel(lines, "loss", LossOf),
                     Panel(lines, "accuracy, %", PercentOf)}};
}

Figure LossesFigure(const std::vector<LineGroup>& groups,
                    const std::string& title) {
  Figure figure{.title = title, .subtitle = kDashes, .panels = {}};
  for (const LineGroup& group : groups) {
    LineChart panel = Panel(group.lines, "loss", LossOf);
    panel.title = group.title;
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace rebasin
