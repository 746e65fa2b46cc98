#include "lab/reliability.h"

#include "lab/blocks.h"

namespace rebasin::lab {
namespace {

// Bins with fewer predictions are too noisy.
constexpr int64_t kMinInBin = 20;

// Of ten classes, half are among any five.
constexpr int64_t kManyClasses = 10;

LineChart Panel(const std::string& title,
                const std::vector<NamedEvaluation>& networks,
                Evaluation Evaluations::*part) {
  LineChart chart{
      .title = title, .x_label = "confidence, %", .y_label = "accuracy, %"};
  chart.series.push_back(
      {.name = "", .x = {0, 100}, .y = {0, 100}, .dashes = true, .color = 6});
  for (const NamedEvaluation& network : networks) {
    Series series{.name = network.name};
    for (const ReliabilityBin& bin : (network.on.*part).bins) {
      if (bin.count < kMinInBin) continue;
      series.x.push_back(100 * bin.confidence);
      series.y.push_back(100 * bin.accuracy);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

DataTable EvaluationTable(const std::string& name, const std::string& caption,
                          const std::vector<NamedEvaluation>& networks,
                          int64_t classes) {
  const bool many = classes > kManyClasses;
  DataTable table{.name = name,
                  .caption = caption,
                  .columns = {"network", "loss, train", "loss, test",
                              "accuracy, train", "accuracy, test"}};
  if (many) table.columns.push_back("top 5, test");
  table.columns.push_back("calibration error, train");
  table.columns.push_back("calibration error, test");
  for (const auto& [network, on] : networks) {
    std::vector<Cell> row = {
        network, NumberCell(on.train.loss), NumberCell(on.test.loss),
        PercentCell(on.train.accuracy), PercentCell(on.test.accuracy)};
    if (many) row.push_back(PercentCell(on.test.top5));
    row.push_back(NumberCell(on.train.calibration_error, 3));
    row.push_back(NumberCell(on.test.calibration_error, 3));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Plot ReliabilityPlot(const std::string& name, const std::string& title,
                     const std::vector<NamedEvaluation>& networks) {
  return {.name = name,
          .caption =
              "How often predictions are right against how sure the "
              "network is of them. Below the dashed line it is too sure "
              "of itself.",
          .figure = {
              .title = title,
              .panels = {Panel("training data", networks, &Evaluations::train),
                         Panel("test data", networks, &Evaluations::test)}}};
}

}  // namespace rebasin::lab
