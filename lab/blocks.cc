#include "lab/blocks.h"

#include "base/text.h"

namespace rebasin::lab {
namespace {

LineChart Panel(const std::vector<MethodLine>& lines, const std::string& label,
                double (*measure)(const Evaluation&)) {
  LineChart chart{.x_label = "lambda: the share of B", .y_label = label};
  for (size_t l = 0; l < lines.size(); ++l) {
    for (const auto part : {&LinePoint::train, &LinePoint::test}) {
      const bool test = part == &LinePoint::test;
      Series series{.name = test ? "" : lines[l].name,
                    .dashes = test,
                    .color = static_cast<int>(l)};
      for (const LinePoint& point : lines[l].line.points) {
        series.x.push_back(point.lambda);
        series.y.push_back(measure(point.*part));
      }
      chart.series.push_back(std::move(series));
    }
  }
  return chart;
}

double LossOf(const Evaluation& at) { return at.loss; }
double PercentOf(const Evaluation& at) { return 100 * at.accuracy; }

}  // namespace

Cell NumberCell(double value, int digits) {
  return {Number(value, digits), value};
}

Cell PercentCell(double share) { return {Percent(share), share}; }

Plot LinesPlot(const std::string& name, const std::string& title,
               const std::string& caption,
               const std::vector<MethodLine>& lines) {
  return {.name = name,
          .caption = caption + " Solid: training data; dashed: test data.",
          .figure = {.title = title,
                     .subtitle = "solid: training data, dashed: test data",
                     .panels = {Panel(lines, "loss", LossOf),
                                Panel(lines, "accuracy, %", PercentOf)}}};
}

DataTable LinesTable(const std::string& name, const std::string& caption,
                     const std::vector<MethodLine>& lines) {
  DataTable table{.name = name,
                  .caption = caption,
                  .columns = {"method", "barrier, train", "barrier, test",
                              "half-way: loss, test", "accuracy, test"}};
  for (const MethodLine& line : lines) {
    table.rows.push_back({line.name, NumberCell(line.line.train.loss),
                          NumberCell(line.line.test.loss),
                          NumberCell(line.line.test.midpoint_loss),
                          PercentCell(line.line.test.midpoint_accuracy)});
  }
  return table;
}

}  // namespace rebasin::lab
