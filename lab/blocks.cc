#include "lab/blocks.h"

#include "base/text.h"

namespace rebasin::lab {

Cell NumberCell(double value, int digits) {
  return {Number(value, digits), value};
}

Cell PercentCell(double share) { return {Percent(share), share}; }

Plot LinesPlot(const std::string& name, const std::string& title,
               const std::string& caption,
               const std::vector<NamedLine>& lines) {
  return {.name = name,
          .caption = caption + " Solid: training data; dashed: test data.",
          .figure = CurvesFigure(lines, title)};
}

DataTable LinesTable(const std::string& name, const std::string& caption,
                     const std::vector<NamedLine>& lines) {
  DataTable table{.name = name,
                  .caption = caption,
                  .columns = {"method", "barrier, train", "barrier, test",
                              "half-way: loss, test", "accuracy, test"}};
  for (const NamedLine& line : lines) {
    table.rows.push_back({line.name, NumberCell(line.line.train.loss),
                          NumberCell(line.line.test.loss),
                          NumberCell(line.line.test.midpoint_loss),
                          PercentCell(line.line.test.midpoint_accuracy)});
  }
  return table;
}

}  // namespace rebasin::lab
